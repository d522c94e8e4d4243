import type { ReadOptions } from "../../agent/index.ts";
import { parseSessionState, type SessionState, TurnkeepError } from "../../protocol/index.ts";
import { shownOutput, shownSnapshot } from "../client-error.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { countOf, fieldsOf } from "./parse-request.ts";

/** One snapshot; with `?wait=` it is answered when its turn has ended, or when that many milliseconds have passed. */
export async function readSnapshot(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const id = exchange.named("snapshot");
  const snapshot = await waited(exchange, (options) => agent.waitFor(id, options));
  return jsonResponse(shownSnapshot(snapshot ?? (await agent.getSnapshot(id, reader))));
}

/** How the turn of a snapshot came out. */
export async function readOutput(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const id = exchange.named("snapshot");
  const { status } = await agent.getSnapshot(id, reader);
  if (status === "pending" || status === "expired") {
    const output = await waited(exchange, (options) => agent.getOutput(id, options));
    if (output) return jsonResponse(shownOutput(output));
    throw new TurnkeepError("FAILED_PRECONDITION", "The turn has not ended yet.", {
      retryable: true,
    });
  }
  return jsonResponse(shownOutput(await agent.getOutput(id, reader)));
}

export async function forkSnapshot(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, caller } = exchange;
  const { sessionId, state } = fieldsOf(await exchange.json(), ["sessionId", "state"]);
  if (state !== undefined && !caller.isOperator) {
    throw new TurnkeepError("PERMISSION_DENIED", "Only operators may put words into a session.");
  }
  const forked = await agent.fork(exchange.named("snapshot"), {
    ...reader,
    ...(sessionId !== undefined && { sessionId: sessionId as string }),
    ...(state !== undefined && { state: parseSessionState(state) as SessionState<never> }),
  });
  return jsonResponse(shownSnapshot(forked), { status: 201 });
}

export async function diffSnapshots(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const other = url.searchParams.get("to");
  if (other === null) throw new TurnkeepError("INVALID_ARGUMENT", "Name the other one as 'to'.");
  return jsonResponse(await agent.diff(exchange.named("snapshot"), other, reader));
}

export async function abortSnapshot(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  return jsonResponse(await agent.abort(exchange.named("snapshot"), reader));
}

export async function listSnapshots(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const limit = countOf(url, "limit");
  const after = url.searchParams.get("after");
  const snapshots = await agent.listSnapshots(exchange.named("session"), {
    ...reader,
    withState: url.searchParams.get("withState") === "true",
    ...(limit !== undefined && { limit }),
    ...(after !== null && { after }),
  });
  return jsonResponse({ snapshots: snapshots.map(shownSnapshot) });
}

export async function readLatest(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  return jsonResponse(
    shownSnapshot(await agent.getLatestSnapshot(exchange.named("session"), reader)),
  );
}

/** What the work gives within the time the caller waits; `undefined` when it takes longer, or the caller does not wait. */
async function waited<Result>(
  exchange: Exchange,
  work: (options: ReadOptions & { readonly signal: AbortSignal }) => Promise<Result>,
): Promise<Result | undefined> {
  const { url, reader, gone, services } = exchange;
  const { limits, ports } = services;
  const milliseconds = Math.min(countOf(url, "wait") ?? 0, limits.waitMs);
  if (milliseconds === 0) return undefined;
  // It keeps the server waiting like a stream.
  const close = exchange.openStream();
  const late = new AbortController();
  const stop = ports.timers.after(milliseconds, () => late.abort(null));
  const signal = AbortSignal.any([late.signal, gone]);
  try {
    return await work({ ...reader, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    stop();
    close();
  }
}
