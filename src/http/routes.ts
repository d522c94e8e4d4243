import type { Answer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { RoutePath } from "./find-route.ts";
import type { RouteGroup } from "./route-groups.ts";
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
  patchSession,
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
  readonly group: RouteGroup;
  readonly answer: (exchange: Exchange) => Promise<Answer>;
}

/** Everything that can be served. What an agent cannot do is answered with UNIMPLEMENTED. */
export const ROUTES: readonly Route[] = [
  // As Genkit's clients ask.
  { group: "turn", method: "POST", path: ":agent", answer: genkitTurn },
  {
    group: "snapshots",
    method: "POST",
    path: ":agent/getSnapshot",
    cost: "read",
    answer: genkitSnapshot,
  },
  // Aborts are no writes: whoever has sent too much may still stop it.
  { group: "abort", method: "POST", path: ":agent/abort", cost: "read", answer: genkitAbort },
  // As ours do.
  { group: "agents", method: "GET", path: "", answer: listAgents },
  { group: "agents", method: "GET", path: ":agent", answer: readAgent },
  { group: "turn", method: "POST", path: ":agent/runs", answer: submitRun },
  { group: "turn", method: "GET", path: ":agent/runs/:run/events", answer: readRun },
  {
    group: "abort",
    method: "POST",
    path: ":agent/runs/:run/abort",
    cost: "read",
    answer: abortRun,
  },
  { group: "snapshots", method: "GET", path: ":agent/snapshots/:snapshot", answer: readSnapshot },
  {
    group: "snapshots",
    method: "GET",
    path: ":agent/snapshots/:snapshot/output",
    answer: readOutput,
  },
  {
    group: "snapshots",
    method: "GET",
    path: ":agent/snapshots/:snapshot/diff",
    answer: diffSnapshots,
  },
  { group: "fork", method: "POST", path: ":agent/snapshots/:snapshot/fork", answer: forkSnapshot },
  {
    group: "abort",
    method: "POST",
    path: ":agent/snapshots/:snapshot/abort",
    cost: "read",
    answer: abortSnapshot,
  },
  { group: "sessions", method: "GET", path: ":agent/sessions", answer: listSessions },
  { group: "snapshots", method: "GET", path: ":agent/sessions/:session", answer: readLatest },
  { group: "labels", method: "PATCH", path: ":agent/sessions/:session", answer: patchSession },
  { group: "delete", method: "DELETE", path: ":agent/sessions/:session", answer: deleteSession },
  {
    group: "snapshots",
    method: "GET",
    path: ":agent/sessions/:session/snapshots",
    answer: listSnapshots,
  },
  {
    group: "labels",
    method: "POST",
    path: ":agent/sessions/:session/labels",
    answer: labelSession,
  },
  {
    group: "export",
    method: "GET",
    path: ":agent/sessions/:session/export",
    answer: exportSession,
  },
  {
    group: "import",
    method: "POST",
    path: ":agent/sessions/:session/import",
    answer: importSession,
  },
];
