import { describe, expect, it } from "vitest";
import { Ledger, type SessionStore, type Snapshot, verifySession } from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { Conversation, HOUR, textsOf, withCustom } from "./conversation.ts";

const keepLast = (count: number): { snapshots: { keepLast: number } } => ({
  snapshots: { keepLast: count },
});

async function listed(talk: Conversation): Promise<readonly string[]> {
  return (await talk.tree.list(talk.key)).map(({ snapshotId }) => snapshotId);
}

const idsOf = (snapshots: readonly Snapshot[]): readonly string[] =>
  snapshots.map(({ snapshotId }) => snapshotId);

describe.each(TEST_PLACES)("keepLast alone, on the %s store", (place) => {
  it("holds after every commit, and what is kept stays readable", async () => {
    const store = await testStoreOn(place);
    const talk = new Conversation({ store, retention: keepLast(2) });
    const said: Snapshot[] = [];
    for (const text of ["a", "b", "c", "d", "e", "f"]) {
      said.push(await talk.say(text));
      expect(await listed(talk)).toEqual(idsOf(said.slice(-2)));
    }
    expect(textsOf(await talk.contentOf(said.at(-2)!.snapshotId))).toHaveLength(10);
    expect(textsOf(await talk.contentOf(said.at(-1)!.snapshotId))).toHaveLength(12);
    expect((await verifySession(store, talk.key)).damages).toEqual([]);
  });

  it("gives back the deltas that only removed snapshots used", async () => {
    const store = await testStoreOn(place);
    const talk = new Conversation({ store, retention: keepLast(2) });
    const big = "x".repeat(40_000);
    for (let turn = 0; turn < 12; turn += 1) {
      await talk.say("same", { change: withCustom({ turn, big: `${turn}${big}` }) });
    }
    // Each turn writes the custom state whole, so that checkpoints are due: the chain of the head is short, and older deltas are gone.
    expect((await talk.rows("delta/")).length).toBeLessThan(8);
    expect((await verifySession(store, talk.key)).damages).toEqual([]);
  });
});

describe("keepLast alone", () => {
  it("removes what an older configuration left behind, at the first commit", async () => {
    const store = new MemoryStore();
    const before = new Conversation({ store });
    for (const text of ["a", "b", "c", "d", "e"]) await before.say(text);
    const talk = new Conversation({ store, retention: keepLast(3) });
    const last = await talk.say("f");
    expect(await listed(talk)).toHaveLength(3);
    expect((await listed(talk)).at(-1)).toBe(last.snapshotId);
  });

  it("keeps pinned and labelled snapshots, branch points and open interrupts, until nothing holds them", async () => {
    const talk = new Conversation({ retention: keepLast(2) });
    const branchPoint = await talk.say("branch point");
    const open = await talk.say("open", { outcome: { finishReason: "interrupted" } });
    const aside = await talk.say("aside", { submission: { parentId: branchPoint.snapshotId } });
    expect(await listed(talk)).toEqual(idsOf([branchPoint, open, aside]));
    await talk.tree.annotate(talk.key, { pin: aside.snapshotId });
    const labelled = await talk.say("labelled");
    await talk.tree.annotate(talk.key, { label: "mine", snapshotId: labelled.snapshotId });
    await talk.say("loose");
    const next = [await talk.say("next"), await talk.say("one more")];
    expect(await listed(talk)).toEqual(idsOf([branchPoint, open, aside, labelled, ...next]));
    await talk.tree.annotate(talk.key, { unpin: aside.snapshotId });
    await talk.tree.annotate(talk.key, { removeLabel: "mine" });
    const last = [next[1]!, await talk.say("last")];
    expect(await listed(talk)).toEqual(idsOf([branchPoint, open, ...last]));
  });

  it("keeps what an aborted turn shows as long as that is kept", async () => {
    const talk = new Conversation({ retention: keepLast(2) });
    await talk.say("first");
    const shown = await talk.say("shown");
    const { claim } = await talk.begin({ input: "stopped" });
    await talk.ledger.abort(talk.key, { snapshotId: claim.snapshotId });
    await talk.ledger.release(talk.key, claim);
    const next = await talk.say("next");
    expect(await listed(talk)).toEqual([shown.snapshotId, claim.snapshotId, next.snapshotId]);
    expect(textsOf(await talk.contentOf(claim.snapshotId))).toHaveLength(4);
    const rest = [await talk.say("a"), await talk.say("b")];
    expect(await listed(talk)).toEqual(idsOf(rest));
  });

  it("counts aborted turns, so that a session in which all are stopped does not grow", async () => {
    const talk = new Conversation({ retention: keepLast(3) });
    const head = await talk.say("said");
    for (let turn = 0; turn < 10; turn += 1) {
      const { claim } = await talk.begin({ input: "stopped" });
      await talk.ledger.abort(talk.key, { snapshotId: claim.snapshotId });
      await talk.ledger.release(talk.key, claim);
      expect((await listed(talk)).length).toBeLessThanOrEqual(4);
    }
    expect((await listed(talk))[0]).toBe(head.snapshotId);
  });

  it("reads as little in a long session as in a short one", async () => {
    const { store, rows } = countedRows(new MemoryStore());
    const talk = new Conversation({ store, retention: keepLast(20) });
    const costOf = async (turns: number): Promise<number> => {
      const before = rows();
      for (let turn = 0; turn < turns; turn += 1) await talk.say(`turn ${turn}`);
      return rows() - before;
    };
    await costOf(40);
    const early = await costOf(160);
    await costOf(500);
    const late = await costOf(160);
    expect(late).toBeLessThanOrEqual(early + 40);
    // Most commits read no snapshot at all.
    expect(late / 160).toBeLessThan(4);
  });

  it("leaves snapshots to the sweep when an age is given as well", async () => {
    const both = { snapshots: { keepLast: 1, olderThanMs: HOUR } };
    const talk = new Conversation({ retention: both });
    for (const text of ["a", "b", "c"]) await talk.say(text);
    expect(await listed(talk)).toHaveLength(3);
  });

  it.each([0, -1, 1.5, Number.NaN, "2"])("refuses to keep the last %s", (count) => {
    const retention = { snapshots: { keepLast: count as number } };
    expect(() => new Ledger({ store: new MemoryStore(), retention })).toThrow(
      `retention.snapshots.keepLast must be a whole number of at least 1, not ${count}.`,
    );
  });

  it.each(["endedRunsMs", "openRunsMs", "requestsMs", "tombstonesMs"])(
    "refuses a negative %s",
    (name) => {
      const retention = { [name]: -1 };
      expect(() => new Ledger({ store: new MemoryStore(), retention })).toThrow(
        `retention.${name} must be a number of milliseconds, at least 0, not -1.`,
      );
    },
  );
});

function countedRows(inner: SessionStore): {
  readonly store: SessionStore;
  readonly rows: () => number;
} {
  let count = 0;
  const store = new Proxy(inner, {
    get(target, name) {
      if (name === "load") {
        return async (...call: Parameters<SessionStore["load"]>) => {
          const view = await target.load(...call);
          count += view.rows.size;
          return view;
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { store, rows: () => count };
}
