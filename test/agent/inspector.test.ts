import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent, user } from "./agents.ts";
import { STORES } from "./authoring/stores.ts";
import { agentOf, errorOf } from "./authoring/turns.ts";

describe.each(STORES)("an inspector over %s", (_, open) => {
  test("tells of sessions and snapshots without their state", async () => {
    const agent = echoAgent({ store: await open(), about: { version: "1" } });
    const { snapshotId = "" } = await agent.runText("CANARY", { sessionId: "s" });
    const { inspector } = agent;
    expect(inspector.about).toEqual({ version: "1" });
    expect(["memory", "sqlite"]).toContain(inspector.storeType);
    const { sessions } = await inspector.listSessions();
    expect(sessions).toMatchObject([
      { sessionId: "s", isBusy: false, head: { snapshotId, status: "completed" }, messageCount: 2 },
    ]);
    expect(await inspector.getSession("s")).toEqual(sessions[0]);
    const snapshots = await inspector.listSnapshots("s");
    expect(snapshots).toMatchObject([{ snapshotId, event: "turn-end", messageCount: 2 }]);
    expect(await inspector.getSnapshot(snapshotId)).toEqual(snapshots[0]);
    expect(JSON.stringify([sessions, snapshots])).not.toContain("CANARY");
    for (const work of [
      () => inspector.getSession("none"),
      () => inspector.listSnapshots("none"),
      () => inspector.getSnapshot("s.none"),
    ]) {
      expect((await errorOf(work)).status).toBe("NOT_FOUND");
    }
  });

  test("sees a change of anything", async () => {
    const agent = echoAgent({ store: await open() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const seen = new Set<string>();
    const look = async () => seen.add((await agent.inspector.getSession("s")).revision);
    await look();
    await agent.label("s", { label: "x", snapshotId });
    await look();
    await agent.label("s", { about: { title: "t" } });
    await look();
    await agent.runText("b", { sessionId: "s" });
    await look();
    expect(seen.size).toBe(4);
  });

  test("knows which runs go on here", async () => {
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    const store = await open();
    const agent = agentOf({ store }, async () => await gone);
    const { runId, wait, sessionId } = await agent.detach(user("hi"));
    expect(agent.isRunningHere(runId)).toBe(true);
    expect(agentOf({ store }, () => {}).isRunningHere(runId)).toBe(false);
    expect(await agent.inspector.listRuns(sessionId)).toMatchObject([
      { runId, phase: "running", isDetached: true },
    ]);
    const [pending] = await agent.inspector.listSnapshots(sessionId);
    expect(pending).toMatchObject({ status: "pending", runId });
    go();
    await wait();
    expect(agent.isRunningHere("nonsense")).toBe(false);
  });

  test("a branch checks its state, and shows it as transforms let it", async () => {
    const agent = echoAgent<{ a?: number; b: number }>({
      store: await open(),
      transformState: ({ custom, ...rest }) => ({
        ...rest,
        ...(custom && { custom: { b: custom.b } }),
      }),
    });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const state = { messages: [], custom: { a: 1, b: 2 } };
    const branched = await agent.branch(snapshotId, { state });
    expect(branched.state?.custom).toEqual({ b: 2 });
    const kept = await agent.getSnapshot(branched.snapshotId, { unredacted: true });
    expect(kept.state?.custom).toEqual({ a: 1, b: 2 });
    expect((await errorOf(() => agent.branch("s.none", { state }))).status).toBe("NOT_FOUND");
    const wrong = { custom: () => {} } as never;
    const refused = await errorOf(() => agent.branch(snapshotId, { state: wrong }));
    expect(refused.status).toBe("INVALID_ARGUMENT");
  });
});

test("a branch whose transform fails is not made", async () => {
  let fails = false;
  const agent = echoAgent({
    store: new MemoryStore(),
    transformState: (state) => {
      if (fails) throw new Error("CANARY");
      return state;
    },
  });
  const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
  fails = true;
  const error = await errorOf(() => agent.branch(snapshotId, { state: { messages: [] } }));
  expect(error.reason).toBe("REDACTION_FAILED");
  expect(error.message).not.toContain("CANARY");
  expect(await agent.inspector.listSnapshots("s")).toHaveLength(1);
});

test("options of a wrong type are refused", async () => {
  const agent = echoAgent();
  for (const options of [{ telemetryLabels: { a: 1 } }, { unredacted: "yes" }]) {
    expect((await errorOf(() => agent.runText("a", options as never))).status).toBe(
      "INVALID_ARGUMENT",
    );
  }
});
