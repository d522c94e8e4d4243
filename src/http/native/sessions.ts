import type { Annotation } from "../../agent/index.ts";
import type { SessionAboutChange } from "../../ledger/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import { jsonResponse } from "../json-response.ts";
import { checkType, readText } from "../read-body.ts";
import { sayAll } from "../say-all.ts";
import { countOf, fieldsOf, metadataOf } from "./parse-request.ts";

const LINES = "application/x-ndjson";
const MOST_LISTED = 200;

export async function listSessions(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const limit = Math.min(countOf(url, "limit") ?? 50, MOST_LISTED);
  const after = url.searchParams.get("after");
  const activity = url.searchParams.get("activity");
  const list = await agent.listSessions({
    ...reader,
    limit,
    ...(after !== null && { after }),
    ...(activity !== null && { activity: activity as "active" | "idle" }),
    ...metadataOf(url),
  });
  return jsonResponse(list);
}

/** Notes what a session is about: its title, tags and metadata. What is left out stays. */
export async function patchSession(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const sessionId = exchange.named("session");
  // Their types are checked by the agent.
  const { title, tags, metadata } = fieldsOf(await exchange.json(), ["title", "tags", "metadata"]);
  const about = { title, tags, metadata } as SessionAboutChange;
  await agent.label(sessionId, { about }, reader);
  const noted = await agent.inspector.getSession(sessionId, reader);
  return jsonResponse({
    sessionId,
    ...(noted.title !== undefined && { title: noted.title }),
    tags: noted.tags,
    metadata: noted.metadata,
  });
}

export async function deleteSession(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const deleted = await agent.deleteSession(exchange.named("session"), reader);
  if (!deleted) throw new TurnkeepError("NOT_FOUND", "There is no such session.");
  return jsonResponse({ deleted: true, ...deleted });
}

export async function labelSession(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const annotation = (await exchange.json()) as unknown as Annotation;
  await agent.label(exchange.named("session"), annotation, reader);
  return jsonResponse({ labelled: true });
}

/** The session as lines of a file, with all that transforms would hide: for operators, unless nothing is hidden. */
export async function exportSession(exchange: Exchange): Promise<Answer> {
  const { keepingAgent: agent, reader } = exchange;
  if (agent.redacts) checkOperator(exchange);
  const sessionId = exchange.named("session");
  // One that is not there is a 404, and no empty file.
  await agent.getLatestSnapshot(sessionId, reader);
  const lines = agent.exportSession(sessionId, reader);
  // Read before the answer begins: one that was erased meanwhile is a 404, too.
  const first = await lines.next();
  exchange.openStream();
  return exchange.stream(
    async (stream) => {
      if (!first.done) stream.say(first.value);
      await stream.clear();
      await sayAll(stream, lines);
    },
    { contentType: LINES },
  );
}

export async function importSession(exchange: Exchange): Promise<Response> {
  const { keepingAgent: agent, reader, request, services } = exchange;
  checkOperator(exchange);
  checkType(request, LINES);
  const { limits, ports } = services;
  const text = await readText(request, { ...limits, bodyBytes: limits.importBytes }, ports.timers);
  const lines = text.split("\n").filter((line) => line !== "");
  const answer = await agent.importSession(exchange.named("session"), lines, reader);
  return jsonResponse(answer, {
    status: answer.kind === "imported" ? 201 : 409,
  });
}

function checkOperator({ caller }: Exchange): void {
  if (caller.isOperator) return;
  throw new TurnkeepError("PERMISSION_DENIED", "Only operators may move whole sessions.");
}
