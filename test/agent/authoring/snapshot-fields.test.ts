import { describe, expect, it } from "vitest";
import { echoAgent, user } from "../agents.ts";
import { gateOf } from "../life/waiting.ts";
import { STORES } from "./stores.ts";
import { agentOf } from "./turns.ts";

describe.each(STORES)("a snapshot over %s", (_, openStore) => {
  it("says which turn made it, and what it was made at", async () => {
    const agent = echoAgent({ store: await openStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    const { snapshotId = "" } = await connection.output();
    const made = [
      { turnIndex: 0, event: "turn-end", contentHash: expect.stringMatching(/^[\w-]{22}$/) },
      { turnIndex: 1, event: "turn-end", contentHash: expect.stringMatching(/^[\w-]{22}$/) },
    ];
    const listed = await agent.listSnapshots("s");
    expect(listed).toMatchObject(made);
    expect(await agent.getSnapshot(snapshotId)).toMatchObject(listed[1]!);
    expect(await agent.getLatestSnapshot("s")).toMatchObject(listed[1]!);
  });

  it("says so already while its turn runs, without a digest", async () => {
    const gate = gateOf();
    const agent = agentOf({ store: await openStore() }, () => gate.promise);
    const { snapshotId, wait } = await agent.detach(user("a"), { sessionId: "s" });
    const pending = await agent.getSnapshot(snapshotId);
    expect(pending).toMatchObject({ status: "pending", turnIndex: 0, event: "turn-end" });
    expect(pending).not.toHaveProperty("contentHash");
    gate.open();
    await wait();
  });

  it("says that nobody's turn made it: it was forked or edited", async () => {
    const agent = echoAgent({ store: await openStore() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const forked = await agent.fork(snapshotId, { sessionId: "copy" });
    expect(forked.event).toBe("fork");
    const edited = await agent.branch(snapshotId, { state: { messages: [] } });
    expect(edited.event).toBe("edit");
    for (const snapshot of [forked, edited]) expect(snapshot).not.toHaveProperty("turnIndex");
  });

  it("has the digest of equal states of any session, and of no other", async () => {
    const agent = echoAgent({ store: await openStore() });
    for (const sessionId of ["one", "two"]) {
      for (const text of ["a", "b"]) await agent.runText(text, { sessionId });
    }
    const [first, second] = await agent.listSnapshots("one");
    const twin = await agent.getLatestSnapshot("two");
    const forked = await agent.fork(second!.snapshotId, { sessionId: "copy" });
    expect(twin.contentHash).toBe(second?.contentHash);
    expect(forked.contentHash).toBe(second?.contentHash);
    expect(first?.contentHash).not.toBe(second?.contentHash);
  });

  it("has no digest where it has no content of its own", async () => {
    const gate = gateOf();
    const agent = agentOf({ store: await openStore() }, () => gate.promise);
    const { snapshotId, abort } = await agent.detach(user("a"), { sessionId: "s" });
    await abort();
    gate.open();
    const aborted = await agent.getSnapshot(snapshotId);
    expect(aborted).toMatchObject({ status: "aborted", event: "turn-end" });
    expect(aborted).not.toHaveProperty("contentHash");
  });

  it("shows no digest to who is not shown all of the state", async () => {
    const agent = agentOf<{ pin: number }>(
      { store: await openStore(), transformState: (state) => ({ ...state, custom: { pin: 0 } }) },
      ({ session }) => session.setCustom({ pin: 4711 }),
    );
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    for (const shown of [
      await agent.getSnapshot(snapshotId),
      ...(await agent.listSnapshots("s")),
      ...(await agent.inspector.listSnapshots("s")),
    ]) {
      expect(shown).not.toHaveProperty("contentHash");
    }
    const whole = await agent.getSnapshot(snapshotId, { unredacted: true });
    expect(whole.contentHash).toMatch(/^[\w-]{22}$/);
  });
});
