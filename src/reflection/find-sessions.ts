import type { InspectedSession } from "../agent/index.ts";
import { hashText, hasMetadata } from "../ledger/index.ts";
import { type Json, type JsonObject, TurnkeepError } from "../protocol/index.ts";
import { choiceOf, fieldsOf, fromToken, invalid, limitOf, toToken } from "./query.ts";
import { type ScannedSession, SessionScan } from "./session-scan.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** What sessions can be asked for by. The first two are those of the RFC. */
const STATUSES = [
  "active",
  "completed",
  "pending",
  "failed",
  "aborted",
  "expired",
  "interrupted",
] as const;

// Looked at in one request, whether they match or not.
const MOST_SCANNED = 1000;
// Of these, so many for what was said in them, which has to be read.
const MOST_READ = 50;

export interface FoundSessions {
  readonly found: readonly ScannedSession[];
  readonly continuationToken?: string;
  /** How many were looked at. */
  readonly scanned: number;
}

/** The sessions that the query asks for, last updated first. */
export async function findSessions(
  exchange: StudioExchange,
  agents: StudioExchange["keepingAgents"],
): Promise<FoundSessions> {
  const { url, reader } = exchange;
  const matches = matcherOf(url);
  const words = wordsOf(url);
  const isInMessages = choiceOf(url, "in", ["names", "messages"]) === "messages";
  const limit = limitOf(url);
  const filter = filterOf(
    url,
    agents.map(({ name }) => name),
  );
  const token = url.searchParams.get("continuationToken");
  const scan = new SessionScan(agents, {
    reader,
    ...(token !== null && { from: positionOf(token, filter) }),
  });
  const found: ScannedSession[] = [];
  let scanned = 0;
  let read = 0;
  while (found.length < limit && scanned < MOST_SCANNED && read < MOST_READ) {
    const next = await scan.next();
    if (next === undefined) return { found, scanned };
    scanned += 1;
    if (!matches(next.session)) continue;
    const isNamed = hasWords(namesOf(next.session), words);
    if (!isNamed && isInMessages) read += 1;
    if (isNamed || (isInMessages && (await saysWords(next, words, reader)))) found.push(next);
  }
  return { found, scanned, continuationToken: toToken({ filter, at: scan.position }) };
}

/** What the RFC calls the status of a session: `active` as long as somebody has something to do. */
export function sessionStatus({ isBusy, head }: InspectedSession): "active" | "completed" {
  return isBusy || head?.finishReason === "interrupted" ? "active" : "completed";
}

type Matcher = (session: InspectedSession) => boolean;

function matcherOf(url: URL): Matcher {
  checkOrder(url);
  const { searchParams } = url;
  const status = choiceOf(url, "status", STATUSES);
  const artifacts = choiceOf(url, "hasArtifacts", ["true", "false"]);
  const tag = searchParams.get("tag");
  const metadata = metadataOf(url);
  const from = timeOf(url, "from") ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(url, "to") ?? Number.POSITIVE_INFINITY;
  return (session) =>
    (status === undefined || IS[status](session)) &&
    (artifacts === undefined || session.artifactCount > 0 === (artifacts === "true")) &&
    (tag === null || session.tags.includes(tag)) &&
    hasMetadata(session, metadata) &&
    session.updatedAt >= from &&
    session.updatedAt <= to;
}

// The entries that are asked for, as JSON. @throws TurnkeepError INVALID_ARGUMENT.
function metadataOf({ searchParams }: URL): JsonObject {
  const text = searchParams.get("metadata");
  if (text === null) return {};
  try {
    return fieldsOf(JSON.parse(text) as Json);
  } catch {
    throw invalid(`'metadata' must be an object of JSON, such as {"userId":"ada"}.`);
  }
}

type Status = (typeof STATUSES)[number];

const IS: Readonly<Record<Status, Matcher>> = {
  active: (session) => sessionStatus(session) === "active",
  completed: (session) => sessionStatus(session) === "completed",
  pending: ({ isBusy, isExpired }) => isBusy && !isExpired,
  expired: ({ isExpired }) => isExpired,
  interrupted: ({ isBusy, head }) => !isBusy && head?.finishReason === "interrupted",
  failed: ({ isBusy, head }) => !isBusy && head?.status === "failed",
  aborted: ({ isBusy, head }) => !isBusy && head?.status === "aborted",
};

function wordsOf({ searchParams }: URL): readonly string[] {
  return (searchParams.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

function namesOf({ sessionId, title, tags }: InspectedSession): string {
  return [sessionId, title ?? "", ...tags].join("\n");
}

function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** Whether the words are in what was said up to the session's head, or in its names, as the caller may see them. */
async function saysWords(
  { agent, session }: ScannedSession,
  words: readonly string[],
  reader: StudioExchange["reader"],
): Promise<boolean> {
  if (session.head === undefined) return false;
  try {
    const { state } = await agent.getSnapshot(session.head.snapshotId, reader);
    const said = (state?.messages ?? []).flatMap(({ content }) => content.map(({ text }) => text));
    return hasWords([namesOf(session), ...said].join("\n"), words);
  } catch (error) {
    // Deleted since it was listed.
    if (TurnkeepError.is(error) && error.status === "NOT_FOUND") return false;
    throw error;
  }
}

// Stores keep sessions in one order.
function checkOrder({ searchParams }: URL): void {
  const sort = searchParams.get("sort") ?? "updatedAt";
  const order = searchParams.get("order") ?? "desc";
  if (sort === "updatedAt" && order === "desc") return;
  throw new TurnkeepError(
    "UNIMPLEMENTED",
    "Stores list sessions last updated first, and in no other order. Leave 'sort' and 'order' out, go on to the end, and sort what was found.",
  );
}

/** A time of the query, in milliseconds or as RFC 3339. @throws TurnkeepError INVALID_ARGUMENT. */
export function timeOf({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name);
  if (text === null) return undefined;
  const time = /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw invalid(`'${name}' must be a time: milliseconds since 1970, or RFC 3339.`);
}

// A token is good for the query it was made by.
function filterOf({ searchParams }: URL, agents: readonly string[]): string {
  const asked = [...searchParams]
    .filter(([name]) => name !== "limit" && name !== "continuationToken")
    .map((pair) => JSON.stringify(pair))
    .toSorted((left, right) => (left < right ? -1 : 1));
  return hashText(JSON.stringify([asked, agents])).slice(0, 16);
}

function positionOf(token: string, filter: string): ReturnType<typeof fromToken> {
  const { filter: own, at } = fieldsOf(fromToken(token), "'continuationToken'");
  if (own === filter && at !== undefined) return at;
  throw invalid("'continuationToken' is one of another query. Start again without it.");
}
