export { TurnkeepError } from "../protocol/index.ts";
export type { Claim } from "./claim.ts";
export { compareContents, type ContentComparison } from "./compare-snapshots.ts";
export { type ContentHash, digestOf } from "./content-hash.ts";
export { loggedRun } from "./event-log.ts";
export { followRun, type FollowOptions } from "./follow-run.ts";
export { freezeJson, isFrozenJson } from "./freeze-json.ts";
export { freezeRecord, isFrozenRecord } from "./frozen-record.ts";
export { GrownList } from "./grown-list.ts";
export { chunkEvent, HeldEvent } from "./held-event.ts";
export type {
  ActiveTurn,
  HeadRecord,
  QueuedTurn,
  SessionAbout,
  SnapshotLabel,
  SnapshotOrigin,
  StateCounts,
} from "./head-record.ts";
export {
  Ledger,
  type LedgerOptions,
  type Submission,
  type TurnOutcome,
  type UnsavedRest,
  type Work,
} from "./ledger.ts";
export type { RunPhase, RunSummary } from "./list-runs.ts";
export type { PendingSnapshot } from "./list-snapshots.ts";
export type { Clock, IdSource, Ports, Random, SleepOptions, Timers } from "./ports.ts";
export {
  DEFAULT_RETENTION,
  type Retention,
  retentionFrom,
  type SnapshotRetention,
} from "./retention.ts";
export { afterKey, isShortLived, type KeyRange, stepKey, underPrefix } from "./row-key.ts";
export type { EndReason, NumberedEvent, RunEvent, StartedEvent } from "./run-event.ts";
export { beginFromState, findHeadState } from "./outside-state.ts";
export { hashText } from "./sha256.ts";
export { promised } from "./promised.ts";
export { createScope, createSessionKey, type Scope, type SessionKey } from "./scope.ts";
export { SeenSession } from "./seen-session.ts";
export {
  changedContent,
  contentFrom,
  EMPTY_CONTENT,
  freezeContent,
  type SessionContent,
  stateOf,
} from "./session-content.ts";
export { hasMetadata, type SessionAboutChange } from "./session-about.ts";
export { SessionHints } from "./session-hints.ts";
export { exportSession, type ImportAnswer, importSession } from "./session-file.ts";
export type {
  Append,
  AppendOutcome,
  Commit,
  DueQuery,
  Fence,
  ListedSession,
  ListQuery,
  RangeQuery,
  Row,
  SessionPage,
  SessionStore,
  StoreCapabilities,
  StoreSchema,
  SurveyedSession,
  View,
  Want,
} from "./session-store.ts";
export { type ForkOptions, SessionTree } from "./session-tree.ts";
export { eventOf, isContinuable, type Snapshot, type SnapshotEnd } from "./snapshot.ts";
export type { LoadedSnapshot } from "./snapshot-reader.ts";
export type { Damage } from "./damage.ts";
export { type SessionCheck, verifySession } from "./verify-session.ts";
export { SortableIds } from "./sortable-ids.ts";
export { stateTooLarge } from "./state-too-large.ts";
export type { AbortAnswer, AbortTarget } from "./steps/abort.ts";
export type { AcceptAnswer, BusyPolicy, TurnRef } from "./steps/accept.ts";
export type { AdvanceAnswer } from "./steps/advance.ts";
export type { AnnotateAnswer, Annotation } from "./steps/annotate.ts";
export type { BranchAnswer } from "./steps/branch-off.ts";
export type { ClaimAnswer } from "./steps/claim-turn.ts";
export type { DetachAnswer } from "./steps/detach-run.ts";
export type { EndRunAnswer } from "./steps/end-run.ts";
export type { FinishAnswer } from "./steps/finish.ts";
export type { ForkAnswer } from "./steps/fork-session.ts";
export type { LinkAnswer, LinkedSession } from "./steps/link-session.ts";
export type { RoundAnswer } from "./steps/save-round.ts";
export type { ReleaseAnswer, ReleaseKind } from "./steps/release.ts";
export type { RemoveAnswer } from "./steps/remove-session.ts";
export type { RenewAnswer } from "./steps/renew.ts";
export { openTurns } from "./steps/stop-turns.ts";
export { sweepDue, type SweepReport } from "./sweep-due.ts";
export { systemClock, systemPorts, systemTimers } from "./system-ports.ts";
export { turnInTheWay } from "./turn-phase.ts";
export { UnknownOutcomeError } from "./unknown-outcome-error.ts";
export type { UnsavedTurn } from "./unsaved-turn.ts";
export { contentOfStart, startedEvent } from "./turn-start.ts";
export { findQuestion } from "./find-question.ts";
export { noteAnswer } from "./steps/note-answer.ts";
export { pendingSnapshots } from "./list-snapshots.ts";
