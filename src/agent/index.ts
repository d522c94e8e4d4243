export { hashText, systemPorts } from "../ledger/index.ts";
export type {
  Annotation,
  BusyPolicy,
  ContentComparison,
  LinkedSession,
  Retention,
  SessionStore,
  SnapshotRetention,
} from "../ledger/index.ts";
export {
  type AgentFinishReason,
  type AgentInput,
  type AgentOutput,
  type AgentResult,
  type AgentStreamChunk,
  type Artifact,
  checkResume,
  type InterruptSource,
  type Json,
  mergeResumes,
  type Message,
  openInterrupts,
  type OpenInterrupt,
  type Part,
  type Resume,
  type SessionSnapshot,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
export type {
  AgentFunction,
  AgentTools,
  Responder,
  RunSession,
  TurnContext,
  TurnHandler,
  TurnResult,
} from "./agent-function.ts";
export type {
  AgentInspector,
  InspectedHead,
  InspectedRun,
  InspectedSession,
  InspectedSnapshot,
} from "./agent-inspector.ts";
export type {
  AgentLimits,
  AgentOptions,
  AwaitedStore,
  ClientStateOptions,
  PartialOptions,
  SnapshotMoment,
  SnapshotWhen,
  ToolDescription,
} from "./agent-options.ts";
export { AgentRegistry, type AgentSource } from "./agent-registry.ts";
export type {
  AbortResult,
  Agent,
  AgentStream,
  CallOptions,
  Connection,
  DeletedSession,
  DetachedRun,
  ReadOptions,
  SessionList,
  SessionSummary,
} from "./agent.ts";
export { AsyncContext } from "./async-context.ts";
export type { BackgroundWorker, WorkerOptions } from "./background-worker.ts";
export type { ClientInputOptions, ServerPartKind } from "./client-input.ts";
export type { CallContext } from "./call-context.ts";
export { checkOptionNames } from "./check-agent-options.ts";
export type { RunUpdate } from "./client-view.ts";
export type { UpdatePage } from "./run-desk.ts";
export { chunkJsonOf } from "./held-update.ts";
export type { AgentConnection } from "./connection.ts";
export { currentSession, currentTurn, withSession } from "./current-session.ts";
export { buildCustomAgent, defineCustomAgent } from "./define-custom-agent.ts";
export type { LinkedAgent } from "./delete-session.ts";
export type { DispatchedWork, Dispatcher } from "./dispatcher.ts";
export {
  defineGeneratorAgent,
  type GeneratorAgentFunction,
  type GeneratorChunk,
  type GeneratorContext,
  type GeneratorInit,
  type GeneratorInput,
  type GeneratorResult,
  type LoopTypes,
  type OwnLoopTypes,
} from "./define-generator-agent.ts";
export type { SessionExamination, SessionTrouble } from "./examine-session.ts";
export type { AnyLocalAgent, LocalAgent } from "./local-agent.ts";
export { lookOnly } from "./looking-only.ts";
export { sessionIdOf } from "./public-id.ts";
export type { Session } from "./session.ts";
export type { SnapshotPageOptions } from "./snapshot-page.ts";
export type {
  InitialState,
  NeedsInitialState,
  StateOption,
  UnlessTyped,
  VersionedState,
} from "./state-reader.ts";
export type { StateSchema } from "./state-schema.ts";
export type { SpanName } from "./telemetry.ts";
export type { StepContext, StepOptions } from "./tool-steps.ts";
export type { TakeAnswer, TakenTurn, WorkDesk } from "./work-desk.ts";
export type { Mutable, StateTransform, StreamTransform } from "./transforms.ts";
