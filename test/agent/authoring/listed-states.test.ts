import { describe, expect, it } from "vitest";
import { MemoryStore } from "turnkeep/stores/memory";
import { countingStore } from "../../ledger/counting-store.ts";
import { echoAgent, textsOf, user } from "../agents.ts";
import { gateOf } from "../life/waiting.ts";
import { STORES } from "./stores.ts";
import { agentOf, errorOf, model } from "./turns.ts";

describe.each(STORES)("listing snapshots with their states over %s", (_, openStore) => {
  it("shows what each holds, and the same as asking for each", async () => {
    const agent = echoAgent({ store: await openStore() });
    for (const text of ["a", "b", "c"]) await agent.runText(text, { sessionId: "s" });
    const [first] = await agent.listSnapshots("s");
    await agent.runText("d", { snapshotId: first!.snapshotId });
    const listed = await agent.listSnapshots("s", { withState: true });
    expect(listed.map(({ state }) => textsOf(state))).toEqual([
      ["a", "A"],
      ["a", "A", "b", "B"],
      ["a", "A", "b", "B", "c", "C"],
      ["a", "A", "d", "D"],
    ]);
    for (const snapshot of listed) {
      expect(await agent.getSnapshot(snapshot.snapshotId)).toEqual(snapshot);
    }
    for (const { state } of await agent.listSnapshots("s")) expect(state).toBeUndefined();
  });

  it("comes page by page, until an empty one", async () => {
    const agent = echoAgent({ store: await openStore() });
    for (let turn = 0; turn < 5; turn += 1) await agent.runText(`${turn}`, { sessionId: "s" });
    const all = await agent.listSnapshots("s", { withState: true });
    for (const withState of [true, false]) {
      const seen: string[] = [];
      for (let after: string | undefined; ;) {
        const options = { withState, limit: 2, ...(after !== undefined && { after }) };
        const page = await agent.listSnapshots("s", options);
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(2);
        seen.push(...page.map(({ snapshotId }) => snapshotId));
        after = page.at(-1)?.snapshotId;
      }
      expect(seen).toEqual(all.map(({ snapshotId }) => snapshotId));
    }
  });

  it("shows a pending one without a state, and an aborted one with its parent's", async () => {
    const gate = gateOf();
    const agent = agentOf({ store: await openStore() }, ({ session }, _turn, text) => {
      if (text === "wait") return gate.promise;
      session.addMessages(model(text));
    });
    await agent.runText("a", { sessionId: "s" });
    const { abort } = await agent.detach(user("wait"), { sessionId: "s" });
    const [, pending] = await agent.listSnapshots("s", { withState: true });
    expect(pending?.status).toBe("pending");
    expect(pending).not.toHaveProperty("state");
    await abort();
    gate.open();
    const [, aborted] = await agent.listSnapshots("s", { withState: true });
    expect(aborted?.status).toBe("aborted");
    expect(textsOf(aborted?.state)).toEqual(["a", "a"]);
  });

  it("shows what transforms let the reader see, and fails closed with them", async () => {
    const agent = agentOf<{ pin: number }>(
      {
        store: await openStore(),
        transformState: (state, context) => {
          if (context["fails"]) throw new Error("no");
          return { ...state, custom: { pin: 0 } };
        },
      },
      ({ session }) => session.setCustom({ pin: 4711 }),
    );
    await agent.runText("a", { sessionId: "s" });
    const customOf = async (options: object): Promise<unknown> =>
      (await agent.listSnapshots("s", { withState: true, ...options }))[0]?.state?.custom;
    expect(await customOf({})).toEqual({ pin: 0 });
    expect(await customOf({ unredacted: true })).toEqual({ pin: 4711 });
    await expect(customOf({ context: { fails: true } })).rejects.toMatchObject({
      status: "INTERNAL",
    });
  });
});

describe("listing snapshots with their states", () => {
  it("reads all of a page at once", async () => {
    const { store, calls } = countingStore(new MemoryStore());
    const agent = echoAgent({ store });
    for (let turn = 0; turn < 30; turn += 1) await agent.runText(`${turn}`, { sessionId: "s" });
    const before = calls.get("load") ?? 0;
    expect(await agent.listSnapshots("s", { withState: true })).toHaveLength(30);
    expect((calls.get("load") ?? 0) - before).toBeLessThanOrEqual(3);
  });

  it("gives 50 at a time, 200 at most, and at most 8 MiB of them, but always one", async () => {
    const agent = agentOf({ store: new MemoryStore() }, ({ session }, _turn, text) => {
      if (text.startsWith("big")) session.setCustom({ text, rest: "x".repeat(3 * 1024 * 1024) });
    });
    for (let turn = 0; turn < 210; turn += 1) await agent.runText(`${turn}`, { sessionId: "s" });
    expect(await agent.listSnapshots("s", { withState: true })).toHaveLength(50);
    expect(await agent.listSnapshots("s", { withState: true, limit: 1000 })).toHaveLength(200);
    expect(await agent.listSnapshots("s")).toHaveLength(210);
    for (let turn = 0; turn < 4; turn += 1) await agent.runText(`big ${turn}`, { sessionId: "b" });
    const page = await agent.listSnapshots("b", { withState: true });
    expect(page).toHaveLength(2);
    const next = await agent.listSnapshots("b", { withState: true, after: page[1]!.snapshotId });
    expect(next).toHaveLength(2);
  });

  it("leaves out one that is pruned meanwhile", async () => {
    const inner = new MemoryStore();
    let isPruned = false;
    const store = new Proxy(inner, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name !== "range") return member.bind(target);
        return async (...call: unknown[]) => {
          const rows = await member.apply(target, call);
          if (!isPruned) {
            isPruned = true;
            await pruning.runText("c", { sessionId: "s" });
          }
          return rows;
        };
      },
    });
    const retention = { snapshots: { keepLast: 1 } };
    const pruning = echoAgent({ store: inner, retention });
    const reading = echoAgent({ store });
    isPruned = true;
    await reading.runText("a", { sessionId: "s" });
    await reading.runText("b", { sessionId: "s" });
    isPruned = false;
    const listed = await reading.listSnapshots("s", { withState: true });
    expect(listed.map(({ state }) => textsOf(state).at(-1))).toEqual(["C"]);
  });

  it.each([{ limit: 0 }, { limit: 1.5 }, { withState: "yes" }, { after: 5 }])(
    "refuses %j",
    async (options) => {
      const agent = echoAgent({ store: new MemoryStore() });
      const error = await errorOf(() => agent.listSnapshots("s", options as never));
      expect(error.status).toBe("INVALID_ARGUMENT");
    },
  );

  it("says that the snapshot to go on behind is gone", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    await agent.runText("a", { sessionId: "s" });
    const error = await errorOf(() => agent.listSnapshots("s", { after: "s.gone" }));
    expect(error).toMatchObject({
      status: "NOT_FOUND",
      message: "Snapshot 's.gone' is not there any more. List the snapshots again without 'after'.",
    });
  });
});
