import type { SessionStore } from "turnkeep";
import { describe, expect, it } from "vitest";
import { echoAgent, textsOf, user } from "../agents.ts";
import { CALLS, confide, METHODS, type World, worldOf } from "./methods.ts";
import { STORES } from "./stores.ts";
import { agentOf, collect, errorOf } from "./turns.ts";

describe.each(STORES)("the sessions of an agent over %s", (_, openStore) => {
  it("are listed as trees, in the order of commits", async () => {
    const agent = echoAgent({ store: await openStore() });
    const root = await agent.runText("a", { sessionId: "s" });
    const left = await agent.runText("b", { snapshotId: root.snapshotId! });
    const right = await agent.runText("c", { snapshotId: root.snapshotId! });
    const tree = await agent.listSnapshots("s");
    expect(tree.map(({ snapshotId, parentId }) => [snapshotId, parentId])).toEqual([
      [root.snapshotId, undefined],
      [left.snapshotId, root.snapshotId],
      [right.snapshotId, root.snapshotId],
    ]);
    for (const snapshot of tree) {
      expect(snapshot).not.toHaveProperty("state");
      expect(snapshot).toMatchObject({ sessionId: "s", status: "completed", finishReason: "stop" });
      expect(Date.parse(snapshot.createdAt)).toBeLessThanOrEqual(Date.parse(snapshot.updatedAt!));
    }
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(right.snapshotId);
    expect(await agent.listSnapshots("missing")).toEqual([]);
  });

  it("are not found where they are not", async () => {
    const agent = echoAgent({ store: await openStore() });
    const snapshot = "Snapshot 's.1' not found for agent 'echo'.";
    for (const [ask, message] of [
      [() => agent.getSnapshot("s.1"), snapshot],
      [() => agent.waitFor("s.1"), snapshot],
      [() => agent.fork("s.1"), snapshot],
      [() => agent.diff("s.1", "s.2"), snapshot],
      [() => agent.getSnapshot("malformed"), "Snapshot 'malformed' not found for agent 'echo'."],
      [() => agent.getLatestSnapshot("s"), "Session 's' not found for agent 'echo'."],
      [() => collect(agent.exportSession("s")), 'Session "s" not found.'],
      [() => agent.label("s", { pin: "s.1" }), "Session 's' not found."],
      [() => collect(agent.attach("s.1")), 'Session "s" has no run "1".'],
    ] as const) {
      expect(await errorOf(ask)).toMatchObject({ status: "NOT_FOUND", message });
    }
    expect(await agent.deleteSession("s")).toBeUndefined();
    expect(await agent.abort("s.1")).toEqual({});
  });

  it("are labelled and pinned", async () => {
    const agent = echoAgent({ store: await openStore() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const other = await agent.runText("b", { sessionId: "t" });
    await agent.label("s", { label: "good", snapshotId });
    await agent.label("s", { label: "best", snapshotId });
    await agent.label("s", { removeLabel: "good" });
    await agent.label("s", { pin: snapshotId });
    const id = snapshotId.slice(snapshotId.lastIndexOf(".") + 1);
    expect(await notesOf()).toEqual({ labels: [{ name: "best", snapshotId: id }], pins: [id] });
    await agent.label("s", { unpin: snapshotId });
    expect(await notesOf()).toMatchObject({ pins: [] });
    for (const annotation of [{ label: "x", snapshotId: other.snapshotId! }, { pin: "s.no" }]) {
      const error = await errorOf(() => agent.label("s", annotation));
      expect(error.status).toBe("NOT_FOUND");
    }
    for (let count = 1; count < 32; count += 1)
      await agent.label("s", { label: `l${count}`, snapshotId });
    const error = await errorOf(() => agent.label("s", { label: "one too many", snapshotId }));
    expect(error).toMatchObject({ status: "RESOURCE_EXHAUSTED", reason: "LIMIT_EXCEEDED" });

    async function notesOf(): Promise<unknown> {
      const [header = ""] = await collect(agent.exportSession("s"));
      const { session } = JSON.parse(header) as { session: { labels: unknown; pins: unknown } };
      return { labels: session.labels, pins: session.pins };
    }
  });

  it("are forked at any snapshot, as they are or edited, and then live on their own", async () => {
    const agent = echoAgent({ store: await openStore() });
    const first = await agent.runText("a", { sessionId: "s" });
    await agent.runText("b", { sessionId: "s" });
    const fork = await agent.fork(first.snapshotId!, { sessionId: "f" });
    expect(fork).toMatchObject({ sessionId: "f", status: "completed" });
    expect(textsOf(fork.state)).toEqual(["a", "A"]);
    expect(await agent.getSnapshot(fork.snapshotId)).toEqual(fork);
    const edited = await agent.fork(first.snapshotId!, {
      state: { messages: [user("edited").message], custom: { n: 1 } },
    });
    expect(edited.sessionId).not.toBe("s");
    expect(edited.state).toMatchObject({ sessionId: edited.sessionId, custom: { n: 1 } });
    await agent.runText("c", { sessionId: edited.sessionId! });
    const { state } = await agent.getLatestSnapshot(edited.sessionId!);
    expect(textsOf(state)).toEqual(["edited", "c", "C"]);
    const error = await errorOf(() => agent.fork(first.snapshotId!, { sessionId: "f" }));
    expect(error.status).toBe("ALREADY_EXISTS");
    await agent.deleteSession("s");
    expect(textsOf((await agent.getLatestSnapshot("f")).state)).toEqual(["a", "A"]);
  });

  it("are compared", async () => {
    const agent = agentOf<{ n: number }>({ store: await openStore() }, ({ session }, __, text) => {
      session.setCustom({ n: Number(text) });
      session.addArtifacts({ name: text, parts: [{ text }] });
    });
    const one = await agent.runText("1", { sessionId: "s" });
    const two = await agent.runText("2", { sessionId: "s" });
    expect(await agent.diff(one.snapshotId!, two.snapshotId!)).toEqual({
      same: false,
      messages: { common: 1, removed: [], added: [user("2").message] },
      custom: [{ op: "replace", path: "/n", value: 2 }],
      artifacts: { removed: [], added: [{ name: "2", parts: [{ text: "2" }] }] },
      promptInput: [],
    });
    expect(await agent.diff(two.snapshotId!, two.snapshotId!)).toMatchObject({ same: true });
    const other = await agent.runText("1", { sessionId: "t" });
    const error = await errorOf(() => agent.diff(one.snapshotId!, other.snapshotId!));
    expect(error.status).toBe("INVALID_ARGUMENT");
  });

  it("are erased, and can be started anew under the same name", async () => {
    const agent = echoAgent({ store: await openStore() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    expect(await agent.deleteSession("s")).toEqual({ sessionId: "s", linked: [] });
    expect(await agent.deleteSession("s")).toBeUndefined();
    expect((await errorOf(() => agent.getSnapshot(snapshotId))).status).toBe("NOT_FOUND");
    expect((await agent.listSessions()).sessions).toEqual([]);
    await agent.runText("b", { sessionId: "s" });
    expect(textsOf((await agent.getLatestSnapshot("s")).state)).toEqual(["b", "B"]);
  });

  it("move to another store as one file", async () => {
    const agent = echoAgent({ store: await openStore() });
    await agent.runText("a", { sessionId: "s" });
    const { snapshotId = "" } = await agent.runText("b", { sessionId: "s" });
    const lines = await collect(agent.exportSession("s"));
    const there = echoAgent({ store: await openStore() });
    const answer = await there.importSession("copy", lines);
    expect(answer).toMatchObject({ kind: "imported", snapshots: 2 });
    const { head } = answer as { head: string };
    expect(head).toBe(snapshotId.replace("s.", "copy."));
    expect(textsOf((await there.getSnapshot(head)).state)).toEqual(["a", "A", "b", "B"]);
    expect((await there.runText("c", { sessionId: "copy" })).finishReason).toBe("stop");
    expect(await there.importSession("copy", lines)).toEqual({ kind: "exists" });
    const altered = lines.map((line) => line.replace('"a"', '"x"'));
    expect(await errorOf(() => there.importSession("bad", altered))).toMatchObject({
      status: "INVALID_ARGUMENT",
      reason: "IMPORT_REFUSED",
    });
    expect(await there.listSnapshots("bad")).toEqual([]);
  });

  it("are listed page by page, last updated first, each once", async () => {
    const store = await openStore();
    const agent = echoAgent({ store });
    const other = echoAgent({ store, name: "other" });
    await other.runText("x", { sessionId: "not-mine" });
    for (let index = 0; index < 7; index += 1) await agent.runText("a", { sessionId: `s${index}` });
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await agent.listSessions({ limit: 3, ...(after !== undefined && { after }) });
      expect(page.sessions.length).toBeLessThanOrEqual(3);
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      after = page.next;
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    const [summary] = (await agent.listSessions({ limit: 1 })).sessions;
    const { snapshotId } = await agent.getLatestSnapshot(summary!.sessionId);
    expect(summary).toMatchObject({
      snapshotId,
      status: "idle",
      messageCount: 2,
      hasArtifacts: false,
    });
    expect((await agent.listSessions({ activity: "active" })).sessions).toEqual([]);
    expect((await agent.listSessions({ activity: "idle" })).sessions).toHaveLength(7);
  });
});

describe.each(STORES)("another tenant over %s", (_, openStore) => {
  it.each(METHODS)("learns nothing by %s: what is not theirs is not there", async (name) => {
    const store = await openStore();
    const mine = await worldOf(store, confide({ store }));
    const before = await everythingOf(mine);
    const foreign = await outcomeOf(() => CALLS[name](mine, { tenant: "other" }));
    expect(await everythingOf(mine)).toBe(before);
    const nowhere = { ...mine, agent: confide({ store: await emptyStore(store) }) };
    const missing = await outcomeOf(() => CALLS[name](nowhere, { tenant: "other" }));
    expect(foreign).toEqual(missing);
  });

  it.each(["", " ", "a\0b", "t".repeat(513)])("may not be called %j", async (tenant) => {
    const agent = echoAgent({ store: await openStore() });
    for (const ask of [
      () => agent.runText("a", { tenant }),
      () => agent.listSessions({ tenant }),
      () => agent.getSnapshot("s.1", { tenant }),
    ]) {
      expect((await errorOf(ask)).status).toBe("INVALID_ARGUMENT");
    }
  });

  async function emptyStore(like: SessionStore): Promise<SessionStore> {
    const store = await openStore();
    expect(store).not.toBe(like);
    return store;
  }
});

// All that its owner can read, as text.
async function everythingOf({ agent, sessionId }: World): Promise<string> {
  const { sessions } = await agent.listSessions();
  const lines = await collect(agent.exportSession(sessionId));
  return JSON.stringify([sessions, lines]);
}

// What an attempt came to, without what is new each time: ids, times and cursors.
async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  const outcome = await work().then(
    (value) => ({ value }),
    (error: unknown) => {
      const { status, message, reason, details } = error as Record<string, unknown>;
      return { status, message, reason, details };
    },
  );
  const text = JSON.stringify(outcome)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b[0-9a-z]{26}\b/g, "<id>");
  return JSON.parse(text) as unknown;
}
