import { type Answer, checkType, jsonResponse, readText } from "../http/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** The type of a session file: lines of JSON. */
export const SESSION_FILE = "application/x-ndjson";

const MOST_IMPORTED = 50 * 1024 * 1024;

/** The whole session as one file, or, with `format=json`, what may be shown of it as one document. */
export async function exportSession(exchange: StudioExchange): Promise<Answer> {
  const { keepingAgent: agent, reader, url, studio } = exchange;
  const sessionId = exchange.named("session");
  // One that is not there is a 404, and no empty file.
  const session = await agent.inspector.getSession(sessionId, reader);
  const isDocument = url.searchParams.get("format") === "json";
  if (!isDocument && agent.redacts && !studio.options.revealRaw) {
    throw new TurnkeepError(
      "PERMISSION_DENIED",
      "This agent hides some of its state, and a session file holds all of it. Ask for 'format=json' to get what may be shown.",
    );
  }
  const pieces = isDocument
    ? documentOf(exchange, session.title, session.tags)
    : agent.exportSession(sessionId, reader);
  const response = exchange.download(pieces, isDocument ? "application/json" : SESSION_FILE);
  const name = `${encodeURIComponent(sessionId.toWellFormed())}.${isDocument ? "json" : "ndjson"}`;
  response.headers.set("content-disposition", `attachment; filename*=UTF-8''${name}`);
  return response;
}

// Snapshot by snapshot, so that a long session is never whole in memory.
async function* documentOf(
  exchange: StudioExchange,
  title: string | undefined,
  tags: readonly string[],
): AsyncGenerator<string> {
  const { keepingAgent: agent, reader, services } = exchange;
  const sessionId = exchange.named("session");
  const { stateSchema } = agent.metadata;
  const head = {
    format: "agent-session",
    version: 1,
    exportedAt: new Date(services.clock.now()).toISOString(),
    agent: { name: agent.name, ...(stateSchema && { stateSchema }) },
    session: { sessionId, ...(title !== undefined && { title }), tags },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"snapshots":[`;
  let separator = "";
  for (const { snapshotId } of await agent.inspector.listSnapshots(sessionId, reader)) {
    yield `${separator}${JSON.stringify(await agent.getSnapshot(snapshotId, reader))}`;
    separator = ",";
  }
  yield `],"traces":[]}`;
}

/** Makes a session of a file, under an id of its own unless one is given. */
export async function importSession(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, request, services, url } = exchange;
  checkType(request, SESSION_FILE);
  const limits = { ...services.limits, bodyBytes: MOST_IMPORTED };
  const text = await readText(request, limits, services.ports.timers);
  const lines = text.split("\n").filter((line) => line !== "");
  const sessionId = url.searchParams.get("sessionId") ?? services.ports.ids.next();
  const answer = await agent.importSession(sessionId, lines, reader);
  if (answer.kind === "exists") {
    throw new TurnkeepError("ALREADY_EXISTS", `Session '${sessionId}' exists already.`);
  }
  const { head, snapshots } = answer;
  return jsonResponse({ sessionId, head, snapshots }, { status: 201 });
}
