import type { Answer, RoutePath } from "../http/index.ts";
import { listAgents, readAgent } from "./agents.ts";
import { readArtifactHistory } from "./artifact-history.ts";
import { readArtifactPart } from "./artifacts.ts";
import { streamEvents } from "./events.ts";
import { execute } from "./execute.ts";
import { findById } from "./find.ts";
import { forkSnapshot } from "./fork.ts";
import { cancelAction, listActions, readHealth, runAction } from "./genkit-actions.ts";
import { openStudioSession, readInfo } from "./info.ts";
import { readMessagePart, readMessages } from "./messages.ts";
import { abortRun, listRuns, readRun, streamRun } from "./runs.ts";
import {
  deleteSession,
  deleteSessions,
  listAllSessions,
  listSessions,
  patchSession,
  readSession,
} from "./sessions.ts";
import {
  abortSnapshot,
  diffSnapshots,
  listInterrupts,
  listSnapshots,
  readSnapshot,
} from "./snapshots.ts";
import { readStats } from "./stats.ts";
import type { StudioExchange } from "./studio-exchange.ts";
import { listTraces, readSpan, readTrace, streamTrace } from "./traces.ts";
import { exportSession, importSession, SESSION_FILE } from "./transfer.ts";

/** One thing that can be asked of the reflection API, below the path it is at. GET changes nothing. */
export interface StudioRoute extends RoutePath {
  readonly answer: (exchange: StudioExchange) => Promise<Answer>;
  /** Asked for by whoever has no cookie yet; not there where the application lets in by its own sign-in. */
  readonly isOpen?: true;
  /** The type of the body, where it is not JSON. */
  readonly takes?: string;
}

const AGENT = "agents/:agent";
const SESSION = `${AGENT}/sessions/:session`;
const SNAPSHOT = `${AGENT}/snapshots/:snapshot`;

export const ROUTES: readonly StudioRoute[] = [
  // RFC 004, A to F.
  { method: "GET", path: "agents", answer: listAgents },
  { method: "GET", path: AGENT, answer: readAgent },
  { method: "GET", path: `${AGENT}/sessions`, answer: listSessions },
  { method: "GET", path: SESSION, answer: readSession },
  { method: "POST", path: `${AGENT}/execute`, answer: execute },
  { method: "DELETE", path: SESSION, answer: deleteSession },
  // What the Studio needs besides.
  { method: "GET", path: "studio/info", answer: readInfo },
  { method: "POST", path: "studio/session", answer: openStudioSession, isOpen: true },
  { method: "GET", path: "studio/find", answer: findById },
  { method: "GET", path: "sessions", answer: listAllSessions },
  { method: "PATCH", path: SESSION, answer: patchSession },
  { method: "POST", path: `${AGENT}/sessions:batchDelete`, answer: deleteSessions },
  { method: "POST", path: `${AGENT}/sessions:import`, answer: importSession, takes: SESSION_FILE },
  { method: "GET", path: `${SESSION}/export`, answer: exportSession },
  { method: "GET", path: `${SESSION}/messages`, answer: readMessages },
  { method: "GET", path: `${SESSION}/snapshots`, answer: listSnapshots },
  { method: "GET", path: SNAPSHOT, answer: readSnapshot },
  { method: "GET", path: `${SNAPSHOT}/messages/:message/parts/:part`, answer: readMessagePart },
  { method: "GET", path: `${SNAPSHOT}/artifacts/:artifact/parts/:part`, answer: readArtifactPart },
  { method: "GET", path: `${SNAPSHOT}/artifact-history`, answer: readArtifactHistory },
  { method: "GET", path: `${SNAPSHOT}/interrupts`, answer: listInterrupts },
  { method: "POST", path: `${SNAPSHOT}/fork`, answer: forkSnapshot },
  { method: "POST", path: `${SNAPSHOT}/abort`, cost: "read", answer: abortSnapshot },
  { method: "GET", path: `${AGENT}/diff`, answer: diffSnapshots },
  { method: "GET", path: "runs", answer: listRuns },
  { method: "GET", path: "runs/:run", answer: readRun },
  { method: "GET", path: "runs/:run/stream", answer: streamRun },
  { method: "POST", path: "runs/:run/abort", cost: "read", answer: abortRun },
  { method: "GET", path: "traces", answer: listTraces },
  { method: "GET", path: "traces/:trace", answer: readTrace },
  { method: "GET", path: "traces/:trace/spans/:span", answer: readSpan },
  { method: "GET", path: "traces/:trace/stream", answer: streamTrace },
  { method: "GET", path: "stats", answer: readStats },
  { method: "GET", path: "events", answer: streamEvents },
  // As Genkit's tools ask.
  { method: "GET", path: "actions", answer: listActions },
  { method: "POST", path: "runAction", answer: runAction },
  { method: "POST", path: "cancelAction", cost: "read", answer: cancelAction },
  { method: "GET", path: "__health", answer: readHealth },
];
