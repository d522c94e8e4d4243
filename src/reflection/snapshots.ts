import type { InspectedSnapshot } from "../agent/index.ts";
import { jsonResponse } from "../http/index.ts";
import { type Artifact, type SessionState, TurnkeepError } from "../protocol/index.ts";
import { etagged } from "./etagged.ts";
import { openInterrupts } from "./open-interrupts.ts";
import { costOf } from "./prices.ts";
import { fieldsOf, fromToken, invalid, limitOf, textOf, toToken } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** The tree of a session, oldest first, without state. */
export async function listSnapshots(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const sessionId = exchange.named("session");
  const { head, labels, pins } = await agent.inspector.getSession(sessionId, reader);
  const all = await agent.inspector.listSnapshots(sessionId, reader);
  const token = url.searchParams.get("continuationToken");
  const start = token === null ? 0 : placeOf(token, all);
  const snapshots = all.slice(start, start + limitOf(url));
  const last = snapshots.at(-1);
  const isMore = last !== undefined && start + snapshots.length < all.length;
  return jsonResponse({
    ...(head && { head: head.snapshotId }),
    leaves: leavesOf(all),
    total: all.length,
    snapshots: snapshots.map((snapshot) => ({
      ...shownMetadata(exchange, snapshot),
      labels: labels
        .filter(({ snapshotId }) => snapshotId === snapshot.snapshotId)
        .map(({ name }) => name),
      isPinned: pins.includes(snapshot.snapshotId),
    })),
    ...(isMore && { continuationToken: toToken({ after: last.snapshotId }) }),
  });
}

// Snapshots are only added at the end, and some go: the place is behind the one that was last, or where it was.
function placeOf(token: string, all: readonly InspectedSnapshot[]): number {
  const { after } = fieldsOf(fromToken(token), "'continuationToken'");
  const index = all.findIndex(({ snapshotId }) => snapshotId === after);
  if (index >= 0) return index + 1;
  throw invalid("'continuationToken' names a snapshot that is gone. Start again without it.");
}

// What a turn saved on its way is where no branch ends, unless somebody went on from there.
function leavesOf(all: readonly InspectedSnapshot[]): readonly string[] {
  const parents = new Set(all.map(({ parentId }) => parentId));
  return all
    .filter(({ snapshotId, event }) => event !== "tool-round" && !parents.has(snapshotId))
    .map(({ snapshotId }) => snapshotId);
}

const PARTS = ["custom", "artifacts", "messages", "promptInput"] as const;

/** One snapshot with the parts of its state that are asked for; all, unless told. */
export async function readSnapshot(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url, request } = exchange;
  const parts = partsOf(url);
  const id = exchange.named("snapshot");
  const { state, ...snapshot } = await agent.getSnapshot(id, reader);
  const isKept = snapshot.status !== "pending" && snapshot.status !== "expired";
  const kept = isKept ? await agent.inspector.getSnapshot(id, reader) : undefined;
  const more = kept && shownMetadata(exchange, kept);
  const shown = state && pickParts(state, parts);
  return await etagged(request, { ...more, ...snapshot, ...(shown && { state: shown }) });
}

// Transforms do not see what a turn was given.
function shownMetadata(
  { agent, studio }: StudioExchange,
  { input, ...inspected }: InspectedSnapshot,
): object {
  const cost = costOf(studio.options.prices, agent.name, inspected.usage);
  const snapshot = { ...inspected, ...(cost !== undefined && { cost }) };
  const isHidden = input === undefined || (agent.redacts && !studio.options.revealRaw);
  return isHidden ? snapshot : { ...snapshot, input };
}

function partsOf({ searchParams }: URL): readonly (typeof PARTS)[number][] {
  const asked = searchParams.get("part");
  if (asked === null) return PARTS;
  const names = asked.split(",");
  const unknown = names.find((name) => !PARTS.some((part) => part === name));
  if (unknown === undefined) return PARTS.filter((part) => names.includes(part));
  throw invalid(`'part' names some of ${PARTS.join(", ")}.`);
}

function pickParts(state: SessionState<never>, parts: readonly (typeof PARTS)[number][]): object {
  const picked = Object.entries(state).filter(
    ([name]) => name === "sessionId" || parts.some((part) => part === name),
  );
  return Object.fromEntries(picked);
}

/** What leads from one snapshot of a session to another. */
export async function diffSnapshots(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const from = url.searchParams.get("from");
  const to = url.searchParams.get("to");
  if (from === null || to === null) throw invalid("Name both snapshots, as 'from' and 'to'.");
  const { artifacts, ...rest } = await agent.diff(from, to, reader);
  return jsonResponse({ from, to, ...rest, artifacts: changedArtifacts(artifacts) });
}

// One of the same name on both sides was changed.
function changedArtifacts({
  removed,
  added,
}: {
  readonly removed: readonly Artifact[];
  readonly added: readonly Artifact[];
}): object {
  const earlier = new Map(removed.map((artifact) => [artifact.name, artifact]));
  const isChanged = ({ name }: Artifact): boolean => name !== undefined && earlier.has(name);
  const changed = added.filter(isChanged);
  const names = new Set(changed.map(({ name }) => name));
  return {
    added: added.filter((artifact) => !isChanged(artifact)),
    removed: removed.filter(({ name }) => !names.has(name)),
    changed: changed.map((after) => ({ name: after.name, before: earlier.get(after.name), after })),
  };
}

/** Ends the run that would write this snapshot. */
export async function abortSnapshot(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const snapshotId = exchange.named("snapshot");
  textOf(fieldsOf(await exchange.json()), "reason");
  const { status } = await agent.abort(snapshotId, reader);
  if (status !== undefined) return jsonResponse({ snapshotId, status });
  throw new TurnkeepError("NOT_FOUND", `Snapshot '${snapshotId}' not found.`);
}

/** What waits for a person at this snapshot, with the schemas of what may be answered. */
export async function listInterrupts(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader } = exchange;
  const { state } = await agent.getSnapshot(exchange.named("snapshot"), reader);
  const tools = await agent.inspector.describeTools();
  return jsonResponse(openInterrupts(state?.messages ?? [], tools));
}
