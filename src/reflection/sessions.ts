import type { DeletedSession, SessionState } from "../agent/index.ts";
import { jsonResponse, type ServedAgent } from "../http/index.ts";
import type { SessionAboutChange } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { findSessions } from "./find-sessions.ts";
import { costOf } from "./prices.ts";
import { fieldsOf, invalid } from "./query.ts";
import { stateView, summaryOf, wantedOf } from "./session-view.ts";
import type { StudioExchange } from "./studio-exchange.ts";
import { sumUsage } from "./sum-usage.ts";

const MOST_DELETED = 200;
const NOTED = ["title", "tags", "metadata"];

/** C: the sessions of one agent. */
export async function listSessions(exchange: StudioExchange): Promise<Response> {
  return await answerList(exchange, [exchange.keepingAgent]);
}

/** The sessions of all agents that keep any. */
export async function listAllSessions(exchange: StudioExchange): Promise<Response> {
  return await answerList(exchange, exchange.keepingAgents);
}

async function answerList(
  exchange: StudioExchange,
  agents: readonly ServedAgent[],
): Promise<Response> {
  const { found, continuationToken, scanned } = await findSessions(exchange, agents);
  return jsonResponse({
    sessions: found.map(({ agent, session }) => summaryOf(agent.name, session)),
    ...(continuationToken !== undefined && { continuationToken }),
    scanned,
  });
}

/** D: one session with its state. */
export async function readSession(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const sessionId = exchange.named("session");
  const wanted = wantedOf(url);
  const session = await agent.inspector.getSession(sessionId, reader);
  const snapshots = await agent.inspector.listSnapshots(sessionId, reader);
  // A session whose first turn has not ended holds nothing yet.
  const shown: SessionState<never> | undefined = session.head
    ? (await agent.getSnapshot(session.head.snapshotId, reader)).state
    : undefined;
  const { messages, messageCount, ...state } = stateView(shown, wanted);
  const usage = sumUsage(snapshots.map((snapshot) => snapshot.usage));
  const cost = costOf(exchange.studio.options.prices, agent.name, usage);
  return jsonResponse({
    ...summaryOf(agent.name, session),
    ...state,
    threads: { main: messages },
    messages,
    messageCount,
    usage,
    ...(cost !== undefined && { cost }),
  });
}

/** F: erases a session; one that is busy only when told to abort what it does. */
export async function deleteSession(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, url } = exchange;
  const sessionId = exchange.named("session");
  const isForced = url.searchParams.get("abort") === "1";
  return jsonResponse(deletion(await erase(exchange, { agent, sessionId, isForced })));
}

/** Erases several, and says of each how it went. */
export async function deleteSessions(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent } = exchange;
  const { ids, abort } = fieldsOf(await exchange.json());
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  if (!isList || ids.length > MOST_DELETED) {
    throw invalid(`'ids' must be a list of at most ${MOST_DELETED} session ids.`);
  }
  const results: object[] = [];
  for (const sessionId of ids as readonly string[]) {
    const deleting = erase(exchange, { agent, sessionId, isForced: abort === true });
    const result = await deleting.then(deletion, (error: unknown) => ({
      sessionId,
      success: false,
      error: exchange.tell(error),
    }));
    results.push(result);
  }
  return jsonResponse({ results });
}

// As the RFC has it, with the sessions of sub-agents if there were any.
function deletion({ sessionId, linked }: DeletedSession): object {
  return { success: true, sessionId, ...(linked.length > 0 && { linked }) };
}

/** Names and tags a session, and notes metadata of it. */
export async function patchSession(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const sessionId = exchange.named("session");
  const fields = fieldsOf(await exchange.json());
  const unknown = Object.keys(fields).find((name) => !NOTED.includes(name));
  if (unknown !== undefined) {
    throw invalid(`'${unknown}' cannot be changed; ${NOTED.join(", ")} can.`);
  }
  // Types are checked by the agent.
  const about = fields as SessionAboutChange;
  await agent.inspector.getSession(sessionId, reader);
  await agent.label(sessionId, { about }, reader);
  const session = await agent.inspector.getSession(sessionId, reader);
  return jsonResponse(summaryOf(agent.name, session));
}

async function erase(
  { reader }: StudioExchange,
  what: { readonly agent: ServedAgent; readonly sessionId: string; readonly isForced: boolean },
): Promise<DeletedSession> {
  const { agent, sessionId, isForced } = what;
  const { isBusy } = await agent.inspector.getSession(sessionId, reader);
  if (isBusy && !isForced) {
    throw new TurnkeepError("ABORTED", "A turn runs or waits in this session. Abort it first.", {
      reason: "SESSION_BUSY",
      retryable: true,
    });
  }
  // Told before, so that its signals abort; erasing alone would only fence it.
  if (isBusy) await abortRuns({ agent, sessionId }, { reader });
  const deleted = await agent.deleteSession(sessionId, reader);
  if (deleted) return deleted;
  throw new TurnkeepError("NOT_FOUND", `Session '${sessionId}' not found.`);
}

async function abortRuns(
  { agent, sessionId }: { readonly agent: ServedAgent; readonly sessionId: string },
  { reader }: Pick<StudioExchange, "reader">,
): Promise<void> {
  for (const { runId, phase } of await agent.inspector.listRuns(sessionId, reader)) {
    if (phase === "running" || phase === "queued" || phase === "expired") {
      await agent.abort(runId, reader);
    }
  }
}
