import {
  parseAgentAbortRequest,
  parseGetSnapshotRequest,
  TurnkeepError,
  type Json,
} from "../../protocol/index.ts";
import { shownSnapshot } from "../client-error.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";

/** `{ data: { snapshotId } }` or `{ data: { sessionId } }`; with both, the second asserts whose it is. */
export async function genkitSnapshot(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const data = dataOf(await exchange.json());
  const { snapshotId, sessionId } = parseGetSnapshotRequest(data);
  if (snapshotId === undefined && sessionId === undefined) {
    throw new TurnkeepError("INVALID_ARGUMENT", "getSnapshot needs 'snapshotId' or 'sessionId'.");
  }
  const snapshot =
    snapshotId === undefined
      ? await agent.getLatestSnapshot(sessionId ?? "", reader)
      : await agent.getSnapshot(snapshotId, reader);
  if (sessionId !== undefined && snapshot.sessionId !== sessionId) {
    throw new TurnkeepError("NOT_FOUND", "The session has no such snapshot.");
  }
  const { state, ...rest } = shownSnapshot(snapshot);
  const isShort =
    typeof data === "object" &&
    data !== null &&
    "metadataOnly" in data &&
    data.metadataOnly === true;
  return jsonResponse({ result: isShort || state === undefined ? rest : { ...rest, state } });
}

/** `{ data: { snapshotId } }`: how it stands after the call. */
export async function genkitAbort(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const { snapshotId } = parseAgentAbortRequest(dataOf(await exchange.json()));
  const { status } = await agent.abort(snapshotId, reader);
  return jsonResponse({ result: { snapshotId, ...(status !== undefined && { status }) } });
}

function dataOf(body: Json): Json {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  return isObject ? ((body as Readonly<Record<string, Json>>)["data"] ?? {}) : {};
}
