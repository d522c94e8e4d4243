import { describe, expect, it } from "vitest";
import {
  EMPTY_CONTENT,
  GrownList,
  Ledger,
  type SessionContent,
  SessionTree,
} from "../../src/ledger/index.ts";
import { MemoryStore } from "../../src/stores/memory/index.ts";
import {
  answered,
  Conversation,
  message,
  sessionKey,
  textOf,
  textsOf,
  withCustom,
} from "./conversation.ts";
import { countingStore } from "./counting-store.ts";

async function deltas(talk: Conversation): Promise<readonly string[]> {
  return (
    await talk.store.range(talk.key, { range: ["delta/", "delta/~"], limit: 10_000, maxBytes: 1e9 })
  ).map(({ value }) => value);
}

describe("what a snapshot stores", () => {
  it("holds each message once", async () => {
    const talk = new Conversation();
    for (let turn = 0; turn < 20; turn += 1) await talk.say(`unique-${turn}.`);
    const all = (await deltas(talk)).join();
    for (let turn = 0; turn < 20; turn += 1) {
      expect(all.split(`"unique-${turn}."`).length - 1).toBe(1);
    }
    expect((await talk.rows("input/")).length).toBe(0);
  });

  it("keeps a trimmed history as a window, not as a copy", async () => {
    const talk = new Conversation();
    const window = (start: SessionContent | undefined): SessionContent => {
      const { messages } = answered(
        start,
        `text ${start?.messages.length ?? 0} ${"x".repeat(500)}`,
      );
      return { messages: GrownList.of(messages.all().slice(-10)), artifacts: [] };
    };
    for (let turn = 0; turn < 12; turn += 1) await talk.say("", { change: window });
    const last = (await deltas(talk)).at(-1)!;
    expect(last.length).toBeLessThan(1300);
    const head = await talk.tree.findHead(talk.key);
    expect((await talk.contentOf(head!.snapshot.snapshotId))?.messages).toEqual(
      head?.content.messages,
    );
  });

  it("recognises a history that was made anew, as models' clients do, by its content", async () => {
    const talk = new Conversation();
    const long = "y".repeat(1000);
    await talk.say(long);
    await talk.say("b", {
      change: (start) => {
        const { messages, ...rest } = answered(start, "b");
        return { ...rest, messages: GrownList.of(structuredClone([...messages])) };
      },
    });
    expect((await deltas(talk)).at(-1)!.length).toBeLessThan(300);
  });

  it("stores a small change of a large custom state as a patch, and whole again before patches outgrow it", async () => {
    const talk = new Conversation();
    const large = { count: 0, text: "z".repeat(2000), list: [1, 2, 3] };
    await talk.say("", { change: withCustom(large) });
    for (let count = 1; count < 100; count += 1) {
      await talk.say("", { change: withCustom({ ...large, count }) });
    }
    const rows = await deltas(talk);
    expect(rows[1]).toContain('"patch"');
    expect(rows.filter((row) => row.includes('"set"')).length).toBeGreaterThan(1);
    expect(rows.join().length).toBeLessThan(2 * 100 * 60 + 10_000);
    const head = await talk.tree.findHead(talk.key);
    expect((await talk.contentOf(head!.snapshot.snapshotId))?.custom).toEqual({
      ...large,
      count: 99,
    });
  });

  it("writes checkpoints when chains grow long for what they hold", async () => {
    const talk = new Conversation();
    for (let turn = 0; turn < 200; turn += 1) {
      await talk.say("", { change: withCustom({ turn, text: String(turn).repeat(300) }) });
    }
    const head = (await talk.tree.findHead(talk.key))!.snapshot;
    const rows = await deltas(talk);
    expect(rows.filter((row) => row.startsWith('{"whole":true')).length).toBeGreaterThan(1);
    expect(head.size!.chain).toBeLessThan(2 * 2000 + 64 * 1024 + 2000);
    for (const snapshot of await talk.tree.list(talk.key)) {
      const content = await talk.contentOf(snapshot.snapshotId);
      expect(content?.custom).toMatchObject({
        turn: Number(snapshot.status !== "pending" && snapshot.rev) - 1,
      });
    }
  });

  it("keeps artifacts by what changed, in order", async () => {
    const talk = new Conversation();
    const artifact = (name: string, text: string) => ({ name, parts: [{ text }] });
    const change =
      (...artifacts: ReturnType<typeof artifact>[]) =>
      (start: SessionContent | undefined): SessionContent => ({
        ...(start ?? EMPTY_CONTENT),
        artifacts,
      });
    const big = artifact("big", "b".repeat(5000));
    await talk.say("", { change: change(big, artifact("note", "1")) });
    const second = await talk.say("", {
      change: change(big, artifact("note", "2"), artifact("new", "3")),
    });
    expect((await deltas(talk)).at(-1)!.length).toBeLessThan(300);
    expect((await talk.contentOf(second.snapshotId))?.artifacts).toEqual([
      big,
      artifact("note", "2"),
      artifact("new", "3"),
    ]);
    const third = await talk.say("", { change: change(artifact("new", "3")) });
    expect((await talk.contentOf(third.snapshotId))?.artifacts).toEqual([artifact("new", "3")]);
  });

  it("writes no delta for a turn that changed nothing", async () => {
    const talk = new Conversation();
    await talk.say("a");
    const second = await talk.say("", { change: (start) => start! });
    expect((await deltas(talk)).length).toBe(1);
    expect(textsOf(await talk.contentOf(second.snapshotId))).toEqual(["a", "re: a"]);
  });

  it("keeps prompt input with the session", async () => {
    const talk = new Conversation();
    await talk.say("a", {
      change: (start) => ({ ...answered(start, "a"), promptInput: { role: "helper" } }),
    });
    const { snapshotId } = await talk.say("b");
    expect((await talk.contentOf(snapshotId))?.promptInput).toEqual({ role: "helper" });
  });

  it("lives through many branches of branches", async () => {
    const talk = new Conversation();
    let { snapshotId } = await talk.say("root");
    const path = ["root", "re: root"];
    for (let branch = 0; branch < 120; branch += 1) {
      await talk.say("dead end", { submission: { parentId: snapshotId } });
      ({ snapshotId } = await talk.say(`${branch}`, { submission: { parentId: snapshotId } }));
      path.push(`${branch}`, `re: ${branch}`);
    }
    expect(textsOf(await talk.contentOf(snapshotId))).toEqual(path);
    const head = (await talk.tree.findHead(talk.key))!.snapshot;
    expect(head.chain!.length).toBeLessThanOrEqual(48);
  });

  it("freezes what it was given and what it gives", async () => {
    const talk = new Conversation();
    const custom = { list: [{ deep: 1 }] };
    const { snapshotId } = await talk.say("", { change: withCustom(custom) });
    expect(() => custom.list.push({ deep: 2 })).toThrow(TypeError);
    const content = await talk.contentOf(snapshotId);
    expect(Object.isFrozen((content!.custom as typeof custom).list[0])).toBe(true);
    expect(Object.isFrozen(content?.messages.all())).toBe(true);
  });

  it.each([
    ["a function", { run: () => {} }, "/custom/run"],
    ["not a number", [1, Number.NaN], "/custom/1"],
    ["a class instance", { at: new Map() }, "/custom/at"],
    ["a hole in a list", [1, undefined], "/custom/1"],
    ["a bigint", 1n, "/custom"],
  ])("refuses %s in the state, naming the place, and changes nothing", async (_, custom, place) => {
    const talk = new Conversation();
    await expect(talk.say("", { change: withCustom(custom as never) })).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
      details: { place },
    });
    expect((await talk.store.load(talk.key)).record?.rev).toBe(0);
  });

  it("refuses a state that contains itself", async () => {
    const talk = new Conversation();
    const custom: Record<string, unknown> = {};
    custom["self"] = custom;
    await expect(talk.say("", { change: withCustom(custom as never) })).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  });
});

describe("loading", () => {
  it("reads the head in one query, and any snapshot in one", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    for (let turn = 0; turn < 50; turn += 1) await talk.say("b");
    const { store, calls } = countingStore(talk.store);
    await new Ledger({ store }).snapshots.findHead(talk.key);
    expect([...calls]).toEqual([["load", 1]]);
    await new Ledger({ store }).snapshots.find(talk.key, first.snapshotId);
    expect([...calls]).toEqual([["load", 2]]);
  });

  it("does not read again what this process wrote", async () => {
    const memory = new MemoryStore();
    const { store, calls } = countingStore(memory);
    const talk = new Conversation({ store });
    await talk.say("a");
    const before = calls.get("load")!;
    await talk.say("b");
    // One read for each of accept and finish; none for the input it just took in beside the one `work` makes.
    expect(calls.get("load")! - before).toBe(3);
  });

  it("reads only what it returns, also on a branch beside a long one", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    for (let turn = 0; turn < 100; turn += 1) await talk.say("long");
    const branch = await talk.say("b", { submission: { parentId: first.snapshotId } });
    const row = `snapshot/${branch.snapshotId}`;
    const { rows } = await talk.store.load(talk.key, { rows: [row], chainOf: { row } });
    expect(rows.size).toBe(3);
  });

  it.each(["delta/000001/000001", "delta/000001/000002"])(
    "notices a byte changed in %s",
    async (damaged) => {
      const talk = new Conversation();
      await talk.say("hello");
      const second = await talk.say("world");
      const lying = new Proxy(talk.store, {
        get: (target, name) =>
          name === "load"
            ? async (...parameters: Parameters<typeof talk.store.load>) => {
                const view = await target.load(...parameters);
                const rows = new Map(view.rows);
                const text = rows.get(damaged);
                if (text)
                  rows.set(damaged, text.replaceAll("ello", "ell0").replaceAll("world", "w0rld"));
                return { ...view, rows };
              }
            : Reflect.get(target, name, target),
      });
      const reader = new SessionTree(new Ledger({ store: lying }));
      await expect(reader.findHead(talk.key)).rejects.toMatchObject({
        status: "DATA_LOSS",
        reason: "SNAPSHOT_CORRUPT",
        message: `Snapshot ${second.snapshotId} of session "${talk.key.sessionId}" is damaged in the store. Resume from another one, for instance its parent.`,
        details: { sessionId: talk.key.sessionId, snapshotId: second.snapshotId },
      });
    },
  );

  it("notices that the row of the head is missing, and does not begin anew instead", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("hello");
    const key = `snapshot/${snapshotId}`;
    const { version, record } = await talk.store.load(talk.key);
    await talk.store.commit(talk.key, { expect: version, record, drop: [[key, key]] });
    const other = new Ledger({ store: talk.store });
    const damaged = { status: "DATA_LOSS", details: { sessionId: talk.key.sessionId, snapshotId } };
    await expect(new SessionTree(other).findHead(talk.key)).rejects.toMatchObject(damaged);
    const accepted = await other.accept(talk.key, { input: "world", begin: true });
    if (accepted.kind !== "accepted" || !accepted.claim) return expect.fail(accepted.kind);
    await expect(other.work(talk.key, accepted.claim)).rejects.toMatchObject(damaged);
  });

  it("finds nothing of a session of another tenant, agent or name", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("a");
    expect(await talk.tree.find(sessionKey("session", "other"), snapshotId)).toBeUndefined();
    expect(await talk.tree.findHead(sessionKey("other"))).toBeUndefined();
  });
});

describe("equal contents", () => {
  it("have equal hashes, however they came about and whatever the order of keys", async () => {
    const talk = new Conversation();
    const first = await talk.say("a", { change: withCustom({ a: 1, b: [2] }) });
    await talk.say("b", { change: withCustom({ a: 2, b: [2] }) });
    const back = await talk.say("c", { change: withCustom({ b: [2], a: 1 }) });
    expect(back.hash).toEqual(first.hash);
    const other = new Conversation();
    const fresh = await other.say("x", { change: withCustom({ b: [2], a: 1 }) });
    expect(fresh.hash).toEqual(first.hash);
  });

  it("differ in the part that differs", async () => {
    const talk = new Conversation();
    const first = await talk.say("a", { change: withCustom({ a: 1 }) });
    const second = await talk.say("b", {
      change: (start) => ({ ...start!, messages: GrownList.of([message("user", "b")]) }),
    });
    expect(second.hash!.custom).toBe(first.hash!.custom);
    expect(second.hash!.messages).not.toBe(first.hash!.messages);
  });
});

describe("comparing snapshots", () => {
  it("tells what leads from one to the other", async () => {
    const talk = new Conversation();
    const first = await talk.say("a", {
      change: (start) => ({ ...answered(start, "a"), custom: { n: 1 } }),
    });
    const left = await talk.say("b");
    const right = await talk.say("c", {
      submission: { parentId: first.snapshotId },
      change: (start) => ({ ...answered(start, "c"), custom: { n: 2 } }),
    });
    const comparison = await talk.tree.compare(talk.key, left.snapshotId, right.snapshotId);
    expect(comparison.same).toBe(false);
    expect(comparison.messages.common).toBe(2);
    expect(comparison.messages.removed.map(textOf)).toEqual(["b", "re: b"]);
    expect(comparison.messages.added.map(textOf)).toEqual(["c", "re: c"]);
    expect(comparison.custom).toEqual([{ op: "replace", path: "/n", value: 2 }]);
  });

  it("reads no content of equal ones and shared content once", async () => {
    const talk = new Conversation();
    const first = await talk.say("a");
    const same = await talk.say("", { change: (start) => start! });
    const third = await talk.say("b");
    const { store, calls } = countingStore(talk.store);
    const tree = new SessionTree(new Ledger({ store }));
    expect(await tree.compare(talk.key, first.snapshotId, same.snapshotId)).toMatchObject({
      same: true,
    });
    expect(calls.get("load")).toBe(2);
    expect(await tree.compare(talk.key, first.snapshotId, third.snapshotId)).toMatchObject({
      same: false,
    });
    expect(calls.get("load")).toBe(5);
  });

  it("refuses a snapshot that is not there", async () => {
    const talk = new Conversation();
    const { snapshotId } = await talk.say("a");
    await expect(talk.tree.compare(talk.key, snapshotId, "nowhere")).rejects.toMatchObject({
      status: "NOT_FOUND",
    });
  });
});
