import type { Answer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { RoutePath } from "./find-route.ts";
import { genkitAbort, genkitSnapshot } from "./genkit-wire/genkit-companions.ts";
import { genkitTurn } from "./genkit-wire/genkit-turn.ts";
import { listAgents, readAgent } from "./native/agents.ts";
import { abortRun, readRun, submitRun } from "./native/runs.ts";
import {
  deleteSession,
  exportSession,
  importSession,
  labelSession,
  listSessions,
} from "./native/sessions.ts";
import {
  abortSnapshot,
  diffSnapshots,
  forkSnapshot,
  listSnapshots,
  readLatest,
  readOutput,
  readSnapshot,
} from "./native/snapshots.ts";

/** One thing that can be asked over HTTP, below the path that agents are served under. */
export interface Route extends RoutePath {
  readonly answer: (exchange: Exchange) => Promise<Answer>;
}

/** Everything that is served. What an agent cannot do is answered with UNIMPLEMENTED. */
export const ROUTES: readonly Route[] = [
  // As Genkit's clients ask.
  { method: "POST", path: ":agent", answer: genkitTurn },
  { method: "POST", path: ":agent/getSnapshot", answer: genkitSnapshot },
  { method: "POST", path: ":agent/abort", answer: genkitAbort },
  // As ours do.
  { method: "GET", path: "", answer: listAgents },
  { method: "GET", path: ":agent", answer: readAgent },
  { method: "POST", path: ":agent/runs", answer: submitRun },
  { method: "GET", path: ":agent/runs/:run/events", answer: readRun },
  { method: "POST", path: ":agent/runs/:run/abort", answer: abortRun },
  { method: "GET", path: ":agent/snapshots/:snapshot", answer: readSnapshot },
  { method: "GET", path: ":agent/snapshots/:snapshot/output", answer: readOutput },
  { method: "GET", path: ":agent/snapshots/:snapshot/diff", answer: diffSnapshots },
  { method: "POST", path: ":agent/snapshots/:snapshot/fork", answer: forkSnapshot },
  { method: "POST", path: ":agent/snapshots/:snapshot/abort", answer: abortSnapshot },
  { method: "GET", path: ":agent/sessions", answer: listSessions },
  { method: "GET", path: ":agent/sessions/:session", answer: readLatest },
  { method: "DELETE", path: ":agent/sessions/:session", answer: deleteSession },
  { method: "GET", path: ":agent/sessions/:session/snapshots", answer: listSnapshots },
  { method: "POST", path: ":agent/sessions/:session/labels", answer: labelSession },
  { method: "GET", path: ":agent/sessions/:session/export", answer: exportSession },
  { method: "POST", path: ":agent/sessions/:session/import", answer: importSession },
];
