import { sessionIdOf } from "../agent/index.ts";
import { jsonResponse, type ServedAgent } from "../http/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { invalid } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** What an id may be the name of. */
type Found =
  | { readonly kind: "session"; readonly agentName: string; readonly sessionId: string }
  | {
      readonly kind: "snapshot" | "run";
      readonly agentName: string;
      readonly sessionId: string;
      /** Of a run, the last it has written; none before its first turn has ended. */
      readonly snapshotId?: string;
    }
  | { readonly kind: "trace"; readonly traceId: string };

/** Whatever has this id, of any agent: for those who have nothing else. */
export async function findById(exchange: StudioExchange): Promise<Response> {
  const id = exchange.url.searchParams.get("id");
  if (id === null || id === "") throw invalid("Say what to look for, as 'id'.");
  const ofAgents = await Promise.all(
    exchange.keepingAgents.map(async (agent) => [
      ...(await sessionsOf(exchange, agent, id)),
      ...(await partsOf(exchange, agent, id)),
    ]),
  );
  const traceId = exchange.traces?.find(id)?.traceId;
  const found: readonly Found[] = [
    ...ofAgents.flat(),
    ...(traceId === undefined ? [] : [{ kind: "trace" as const, traceId }]),
  ];
  return jsonResponse({ found });
}

async function sessionsOf(
  { reader }: StudioExchange,
  { name: agentName, inspector }: ServedAgent,
  sessionId: string,
): Promise<readonly Found[]> {
  const session = await unlessMissing(inspector.getSession(sessionId, reader));
  return session ? [{ kind: "session", agentName, sessionId }] : [];
}

// The ids of snapshots and runs name their session.
async function partsOf(
  { reader }: StudioExchange,
  { name: agentName, inspector }: ServedAgent,
  id: string,
): Promise<readonly Found[]> {
  const sessionId = sessionIdOf(id);
  if (sessionId === undefined) return [];
  const snapshots = (await unlessMissing(inspector.listSnapshots(sessionId, reader))) ?? [];
  if (snapshots.some(({ snapshotId }) => snapshotId === id)) {
    return [{ kind: "snapshot", agentName, sessionId, snapshotId: id }];
  }
  // Runs are swept after a while; their snapshots still name them.
  const last = snapshots.findLast(({ runId, status }) => runId === id && status !== "pending");
  const runs = (await unlessMissing(inspector.listRuns(sessionId, reader))) ?? [];
  if (last === undefined && !runs.some(({ runId }) => runId === id)) return [];
  return [{ kind: "run", agentName, sessionId, ...(last && { snapshotId: last.snapshotId }) }];
}

async function unlessMissing<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    const isMissing = TurnkeepError.is(error) && MISSING.has(error.status);
    if (isMissing) return undefined;
    throw error;
  }
}

// What cannot be the id of a session is that of none.
const MISSING: ReadonlySet<string> = new Set(["NOT_FOUND", "INVALID_ARGUMENT"]);
