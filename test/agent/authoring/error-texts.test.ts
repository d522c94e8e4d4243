import { defineCustomAgent, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { served, turn } from "../../http/serving.ts";
import { echoAgent } from "../agents.ts";
import { STORES } from "./stores.ts";
import { agentOf, errorOf } from "./turns.ts";

describe("a store that is none", () => {
  const define = (store: unknown): unknown =>
    defineCustomAgent({ name: "a", store: store as SessionStore }, () => {});

  it.each<[string, unknown]>([
    ["an object with get and save", { get: async () => undefined, save: async () => {} }],
    ["a Map", new Map()],
    ["nothing", null],
    ["text", "sessions.db"],
    ["half a store", { open: async () => {}, load: async () => {} }],
  ])("is refused at the agent's definition when it is %s", async (_, store) => {
    const error = await errorOf(() => define(store));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(
      /^The store of agent 'a' must implement SessionStore: .*commit, .* missing\. Open a store of turnkeep\/stores, or wrap an object that has get and save: fromSessionStore\(\{ get, save \}\)\.$/,
    );
  });

  it("is told to await where it is a promise", async () => {
    const error = await errorOf(() => define(Promise.resolve(new MemoryStore())));
    expect(error.message).toBe(
      "The store of agent 'a' must implement SessionStore: it is a promise. Await it first.",
    );
  });
});

describe.each(STORES)("over %s", (_, openStore) => {
  it("a failed snapshot is resumed, as errors say", async () => {
    const agent = agentOf({ store: await openStore() }, (_tools, __, text) => {
      if (text === "fail") throw new Error("no");
    });
    const { snapshotId = "" } = await agent.runText("fail", { sessionId: "s" });
    expect((await agent.runText("go", { snapshotId })).error).toBeUndefined();
  });

  it("an aborted snapshot is not resumed, and the error names its parent", async () => {
    const agent = agentOf({ store: await openStore() }, async (_tools, { signal }, text) => {
      if (text !== "wait") return;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const parent = await agent.runText("go", { sessionId: "s" });
    const { snapshotId, abort, wait } = await agent.detach(
      { message: { role: "user", content: [{ text: "wait" }] } },
      { sessionId: "s" },
    );
    await abort();
    await wait();
    const { error } = await agent.runText("go", { snapshotId });
    expect(error?.message).toBe(
      `Snapshot ${snapshotId} is not resumable (status: aborted). Completed and failed snapshots can be resumed. Resume its parent ${parent.snapshotId} instead.`,
    );
  });
});

describe("an error of a provider", () => {
  const failing = () =>
    agentOf({ store: new MemoryStore() }, () => {
      throw Object.assign(new Error("quota of key sk-1"), { status: "RESOURCE_EXHAUSTED" });
    });

  it("has a reason to branch on", async () => {
    const { error } = await failing().runText("hi");
    expect(error).toEqual({
      status: "RESOURCE_EXHAUSTED",
      message: "quota of key sk-1",
      details: { reason: "PROVIDER_ERROR" },
    });
  });

  it("is not told in its own words to clients", async () => {
    const { ask } = await served([failing()]);
    const { body } = await ask("/agents/actor", { body: turn("hi") });
    expect(body.result.error).toEqual({
      status: "RESOURCE_EXHAUSTED",
      message: "The agent could not go on.",
    });
  });
});

it("damage names its session", async () => {
  const store = new MemoryStore();
  const { snapshotId = "" } = await echoAgent({ store }).runText("hello", { sessionId: "s" });
  const load: SessionStore["load"] = async (...asked) => {
    const view = await store.load(...asked);
    const rows = [...view.rows].map(([key, value]) => [key, value.replaceAll("hello", "hullo")]);
    return { ...view, rows: new Map(rows as [string, string][]) };
  };
  const damaged = new Proxy<SessionStore>(store, {
    get: (_, name) => {
      const member: unknown = Reflect.get(store, name, store);
      if (name === "load") return load;
      return typeof member === "function" ? (member.bind(store) as unknown) : member;
    },
  });
  const agent = echoAgent({ store: damaged });
  const { error } = await agent.runText("again", { sessionId: "s" });
  const id = snapshotId.slice(snapshotId.lastIndexOf(".") + 1);
  expect(error).toMatchObject({
    status: "DATA_LOSS",
    details: { sessionId: "s", snapshotId: id },
  });
  expect(error?.message).toContain('of session "s" is damaged');
});
