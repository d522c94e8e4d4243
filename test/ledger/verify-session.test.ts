import { describe, expect, it } from "vitest";
import {
  EMPTY_CONTENT,
  type RangeQuery,
  type Row,
  type SessionKey,
  TurnkeepError,
  verifySession,
} from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { Conversation, message } from "./conversation.ts";

/** Gives rows out otherwise than they were written. */
class DamagedStore extends MemoryStore {
  readonly altered = new Map<string, (value: string) => string | undefined>();
  /** A row that it fails at. */
  broken: string | undefined;
  isAway = false;

  override async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    if (this.isAway) throw new TurnkeepError("UNAVAILABLE", "away", { retryable: true });
    const rows = await super.range(key, query);
    if (rows.some((row) => row.key === this.broken)) throw new Error("cannot be unpacked");
    return rows.flatMap((row) => {
      const alter = this.altered.get(row.key);
      const value = alter ? alter(row.value) : row.value;
      return value === undefined ? [] : [{ key: row.key, value }];
    });
  }
}

interface Talk {
  readonly talk: Conversation;
  readonly store: DamagedStore;
  /** The snapshots of a straight line of turns, in their order. */
  readonly ids: readonly string[];
}

async function conversation(turns = 4): Promise<Talk> {
  const store = new DamagedStore();
  const talk = new Conversation({ store });
  const ids: string[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const custom = { turn, notes: "n".repeat(40) };
    const { snapshotId } = await talk.say(`say ${turn}`, {
      change: (start) => ({
        messages: (start ?? EMPTY_CONTENT).messages.grow([message("user", `${turn}`)]),
        artifacts: [],
        custom,
      }),
    });
    ids.push(snapshotId);
  }
  return { talk, store, ids };
}

const DELTAS = ["delta/000001/000001", "delta/000001/000002", "delta/000001/000003"];

describe("verifying a session", () => {
  it("finds it sound, with branches, aborted turns and a long history", async () => {
    const { talk, ids } = await conversation(30);
    await talk.say("elsewhere", { submission: { parentId: ids[3]! } });
    await talk.say("and on");
    await talk.say("back", { submission: { parentId: ids[29]! } });
    const work = await talk.begin({ input: "stopped" });
    await talk.ledger.abort(talk.key, { snapshotId: work.claim.snapshotId });
    expect(await verifySession(talk.store, talk.key)).toEqual({ snapshots: 34, damages: [] });
  });

  it("is content with one that is not there", async () => {
    const { store, key } = new Conversation();
    expect(await verifySession(store, key)).toEqual({ snapshots: 0, damages: [] });
  });

  it("blames an altered row for every snapshot that is folded from it, and for no other", async () => {
    const { talk, store, ids } = await conversation();
    store.altered.set(DELTAS[1]!, (value) => value.replace('"text":"2"', '"text":"two"'));
    const { damages } = await verifySession(store, talk.key);
    expect(damages.map(({ snapshotId, row }) => [snapshotId, row])).toEqual(
      ids.slice(1).map((id) => [id, DELTAS[1]]),
    );
  });

  it("blames a snapshot's own row alone when only that was altered", async () => {
    const { talk, store, ids } = await conversation();
    store.altered.set(`snapshot/${ids[1]}`, (value) => value.replace(/"messages":"./, "$&!"));
    const { damages } = await verifySession(store, talk.key);
    expect(damages.map(({ snapshotId }) => snapshotId)).toEqual([ids[1]]);
  });

  it.each([
    ["is missing", () => undefined],
    ["cannot be read", () => "{"],
  ])("says that a row %s", async (problem, alter) => {
    const { talk, store, ids } = await conversation();
    store.altered.set(DELTAS[2]!, alter);
    const { damages } = await verifySession(store, talk.key);
    expect(damages).toEqual(
      ids.slice(2).map((snapshotId) => ({ snapshotId, row: DELTAS[2], problem })),
    );
  });

  it("misses the head", async () => {
    const { talk, store, ids } = await conversation();
    const row = `snapshot/${ids[3]}`;
    store.altered.set(row, () => undefined);
    expect((await verifySession(store, talk.key)).damages).toEqual([
      { row, snapshotId: ids[3], problem: "is missing, but the session names it" },
    ]);
  });

  it("notices a gap in a run's log", async () => {
    const { talk, store } = await conversation(1);
    const [row = ""] = await talk.rows("event/");
    store.altered.set(row, () => undefined);
    const work = await talk.begin({ input: "more" });
    const events = [{ type: "chunk" }, { type: "chunk" }] as const;
    await talk.ledger.appendEvents(talk.key, work.claim, { seq: 2, events });
    const { damages } = await verifySession(store, talk.key);
    expect(damages).toEqual([
      { row: `event/${work.claim.runId}/000002`, problem: "begins with event 2 instead of 1" },
    ]);
  });

  it("names the place of a row that the store itself fails at", async () => {
    const { talk, store } = await conversation();
    store.broken = DELTAS[1];
    const { damages } = await verifySession(store, talk.key);
    expect(damages.at(-1)).toEqual({
      row: `the one after ${DELTAS[0]}`,
      problem: "cannot be read",
    });
  });

  it("takes a store that is away for no damage", async () => {
    const { talk, store } = await conversation(1);
    store.isAway = true;
    await expect(verifySession(store, talk.key)).rejects.toMatchObject({ status: "UNAVAILABLE" });
  });

  it("looks again when the session changed meanwhile", async () => {
    const { talk, store, ids } = await conversation();
    store.altered.set(`snapshot/${ids[0]}`, () => {
      store.altered.clear();
      void talk.ledger.remove(talk.key);
      return "{";
    });
    expect(await verifySession(store, talk.key)).toEqual({ snapshots: 0, damages: [] });
  });
});
