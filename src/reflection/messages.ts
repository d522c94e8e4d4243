import { jsonResponse } from "../http/index.ts";
import { type Message, type Part, TurnkeepError } from "../protocol/index.ts";
import { countOf, invalid, limitOf } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

// A longer part is fetched by itself.
const LONGEST_PART = 32_768;

/** Some of a session's messages, as they stood at a snapshot: the head, unless told. */
export async function readMessages(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const sessionId = exchange.named("session");
  const asked = url.searchParams.get("snapshotId");
  const { snapshotId, state } = asked
    ? await agent.getSnapshot(asked, reader)
    : await agent.getLatestSnapshot(sessionId, reader);
  const messages = state?.messages ?? [];
  const limit = limitOf(url);
  const offset = countOf(url, "offset") ?? Math.max(messages.length - limit, 0);
  const text = url.searchParams.get("q");
  const refOf = (index: number, part: number): string =>
    `${pathOf(exchange, snapshotId)}/messages/${index}/parts/${part}`;
  return jsonResponse({
    snapshotId,
    total: messages.length,
    offset,
    messages: messages
      .slice(offset, offset + limit)
      .map((message, index) => elided(message, (part) => refOf(offset + index, part))),
    ...(text !== null && { found: placesOf(messages, text) }),
  });
}

/** Where the text was said, in whatever case. */
function placesOf(messages: readonly Message[], text: string): readonly number[] {
  const wanted = text.toLowerCase();
  const says = ({ content }: Message): boolean =>
    content.some((part) => part.text?.toLowerCase().includes(wanted) === true);
  return messages.flatMap((message, place) => (says(message) ? [place] : []));
}

/** One part of one message, whole. */
export async function readMessagePart(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const { state } = await agent.getSnapshot(exchange.named("snapshot"), reader);
  const message = state?.messages?.[indexOf(exchange.named("message"))];
  const part = message?.content[indexOf(exchange.named("part"))];
  if (part) return jsonResponse(part);
  throw new TurnkeepError("NOT_FOUND", "The snapshot has no such part.");
}

/** A place in a list, from the path. @throws TurnkeepError INVALID_ARGUMENT. */
export function indexOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalid("Messages, artifacts and parts are named by their number, from 0.");
}

/** The path of a snapshot. */
function pathOf({ studio, agent }: StudioExchange, snapshotId: string): string {
  const names = [agent.name, "snapshots", snapshotId].map(encodeURIComponent);
  return `${studio.base}/agents/${names.join("/")}`;
}

/** The message with its long parts left out, and where to find them. */
function elided(message: Message, refOf: (part: number) => string): object {
  const content = message.content.map((part, index) => {
    const characters = JSON.stringify(part).length;
    if (characters <= LONGEST_PART) return part;
    return { elided: true, kind: kindOf(part), bytes: bytesOf(part), ref: refOf(index) };
  });
  return { ...message, content };
}

function kindOf(part: Part): string {
  return Object.keys(part).find((name) => name !== "metadata") ?? "part";
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
