import { type } from "arktype";
import {
  defineCustomAgent,
  defineGeneratorAgent,
  type LocalAgent,
  type SessionStore,
  type StateSchema,
} from "turnkeep";
import * as valibot from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as z3 from "zod/v3";
import { STORES } from "./stores.ts";
import { agentOf, chunksOf, errorOf } from "./turns.ts";

type Counted = { count: number };

const NEEDED = z.object({ count: z.number() });

function counterOf(options: Partial<Parameters<typeof agentOf<Counted>>[0]>): LocalAgent<Counted> {
  return agentOf<Counted>(options, ({ session }) => {
    session.updateCustom((draft) => {
      draft.count += 1;
    });
    session.addMessages({ role: "model", content: [{ text: `${session.custom()?.count}` }] });
  });
}

// The same default, said by four libraries; some say it of the member, some of the whole.
const DEFAULTS: readonly (readonly [string, StateSchema<Counted>])[] = [
  ["zod 4", z.object({ count: z.number().default(0) })],
  ["zod 4, as a whole", z.object({ count: z.number() }).default({ count: 0 })],
  ["zod 3", z3.z.object({ count: z3.z.number().default(0) }) as StateSchema<Counted>],
  ["valibot", valibot.object({ count: valibot.optional(valibot.number(), 0) })],
  [
    "valibot, as a whole",
    valibot.optional(valibot.object({ count: valibot.number() }), { count: 0 }),
  ],
  ["arktype", type({ count: "number = 0" })],
  ["an asynchronous schema", asynchronous(z.object({ count: z.number().default(0) }))],
];

function asynchronous<Custom>(schema: StateSchema<Custom>): StateSchema<Custom> {
  const { validate, ...standard } = schema["~standard"];
  return { "~standard": { ...standard, validate: async (value) => await validate(value) } };
}

describe.each(STORES)("a new session over %s", (_, open) => {
  it("starts with the initial state, and a stored one wins over it", async () => {
    const agent = counterOf({ store: await open(), state: NEEDED, initialState: { count: 5 } });
    for (const count of [6, 7, 8]) {
      expect((await agent.runText("go", { sessionId: "s" })).error).toBeUndefined();
      expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count });
    }
  });

  it("starts with what a function makes, called once for each", async () => {
    let calls = 0;
    const agent = counterOf({
      store: await open(),
      state: NEEDED,
      initialState: () => ({ count: (calls += 1) * 10 }),
    });
    expect(calls).toBe(0);
    for (const sessionId of ["a", "b", "a"]) await agent.runText("go", { sessionId });
    expect((await agent.getLatestSnapshot("a")).state?.custom).toEqual({ count: 12 });
    expect((await agent.getLatestSnapshot("b")).state?.custom).toEqual({ count: 21 });
    expect(calls).toBe(2);
  });

  it.each(DEFAULTS)("starts with the defaults of its schema: %s", async (__, state) => {
    const agent = counterOf({ store: await open(), state });
    await agent.runText("go", { sessionId: "s" });
    await agent.runText("go", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count: 2 });
  });

  it("makes dynamic defaults anew", async () => {
    let calls = 0;
    const state = z.object({ count: z.number().default(() => (calls += 1) * 100) });
    const agent = counterOf({ store: await open(), state });
    const before = calls;
    await agent.runText("go", { sessionId: "a" });
    await agent.runText("go", { sessionId: "b" });
    const counts = await Promise.all(
      ["a", "b"].map(async (id) => (await agent.getLatestSnapshot(id)).state?.custom?.count),
    );
    expect(counts[1]).toBeGreaterThan(counts[0]!);
    expect(counts[0]).toBeGreaterThan(before * 100);
  });

  it("shows the state to the agent's function before its first turn", async () => {
    const seen: unknown[] = [];
    const agent = defineCustomAgent(
      { name: "a", store: await open(), state: NEEDED, initialState: { count: 1 } },
      async ({ session }) => {
        seen.push(session.custom());
        session.updateCustom((draft) => {
          draft.count += 1;
        });
        await session.run(() => void seen.push(session.custom()));
      },
    );
    await agent.runText("go", { sessionId: "s" });
    expect(seen).toEqual([{ count: 1 }, { count: 2 }]);
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count: 2 });
  });

  it("gives no snapshot of itself", async () => {
    const agent = defineCustomAgent(
      { name: "a", store: await open(), state: NEEDED, initialState: { count: 1 } },
      async ({ session }) => await session.run(() => {}),
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.output();
    expect(await agent.listSnapshots("s")).toEqual([]);
    await agent.runText("go", { sessionId: "s" });
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  it("streams the whole state with its first patch, and nothing before", async () => {
    const agent = agentOf<Counted>(
      { store: await open(), state: NEEDED, initialState: { count: 1 } },
      ({ session, respond }, __, text) => {
        respond.text("first");
        if (text !== "change") return;
        for (const by of [1, 1]) session.updateCustom((draft) => void (draft.count += by));
      },
    );
    expect(await chunksOf(agent, "rest")).toEqual([
      { modelChunk: { content: [{ text: "first" }] } },
    ]);
    const [, ...patches] = await chunksOf(agent, "change");
    expect(patches).toEqual([
      { customPatch: [{ op: "replace", path: "", value: { count: 2 } }] },
      { customPatch: [{ op: "replace", path: "/count", value: 3 }] },
    ]);
  });

  it("keeps the initial state of a first turn that failed", async () => {
    const agent = agentOf<Counted>(
      { store: await open(), state: NEEDED, initialState: { count: 1 } },
      ({ session }, __, text) => {
        session.updateCustom((draft) => void (draft.count += 1));
        if (text === "fail") throw new Error("no");
      },
    );
    await agent.runText("fail", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count: 1 });
    await agent.runText("go", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count: 2 });
  });

  it("is copied and frozen: nobody changes what others start with", async () => {
    const initialState = { count: 1 };
    const agent = counterOf({ store: await open(), state: NEEDED, initialState });
    await agent.runText("go", { sessionId: "a" });
    initialState.count = 100;
    await agent.runText("go", { sessionId: "b" });
    expect((await agent.getLatestSnapshot("b")).state?.custom).toEqual({ count: 2 });
  });

  it("of a session that was stored without a state starts with the initial one", async () => {
    const store = await open();
    await agentOf({ store }, () => {}).runText("go", { sessionId: "s" });
    const agent = counterOf({ store, state: NEEDED, initialState: { count: 5 } });
    await agent.runText("go", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ count: 6 });
  });

  it("has the version of its schema, so that later builds migrate it", async () => {
    const store = await open();
    const first = counterOf({
      store,
      state: { version: 1, schema: NEEDED },
      initialState: { count: 1 },
    });
    await first.runText("go", { sessionId: "s" });
    expect(await first.getLatestSnapshot("s")).toMatchObject({ stateVersion: 1 });
    const later = agentOf<{ total: number }>(
      {
        store,
        state: {
          version: 2,
          schema: z.object({ total: z.number() }),
          migrate: (state) => ({ total: (state as Counted).count * 10 }),
        },
        initialState: { total: 7 },
      },
      ({ session }) => session.updateCustom((draft) => void (draft.total += 1)),
    );
    await later.runText("go", { sessionId: "s" });
    await later.runText("go", { sessionId: "new" });
    expect((await later.getLatestSnapshot("s")).state?.custom).toEqual({ total: 21 });
    expect((await later.getLatestSnapshot("new")).state?.custom).toEqual({ total: 8 });
  });

  it("that is a fork goes on with the state of its snapshot", async () => {
    const agent = counterOf({ store: await open(), state: NEEDED, initialState: { count: 5 } });
    const { snapshotId = "" } = await agent.runText("go", { sessionId: "s" });
    await agent.fork(snapshotId, { sessionId: "t" });
    await agent.runText("go", { sessionId: "t" });
    expect((await agent.getLatestSnapshot("t")).state?.custom).toEqual({ count: 7 });
  });

  it("works for detached turns", async () => {
    const agent = counterOf({ store: await open(), state: NEEDED, initialState: { count: 5 } });
    const { wait } = await agent.detach({}, { sessionId: "s" });
    await wait();
    const next = await agent.detach(
      { message: { role: "user", content: [{ text: "go" }] } },
      { sessionId: "t" },
    );
    expect((await next.wait()).state?.custom).toEqual({ count: 6 });
  });

  it("of a generator agent has it in its init", async () => {
    const seen: unknown[] = [];
    const agent = defineGeneratorAgent(
      { name: "g", store: await open(), state: NEEDED, initialState: { count: 5 } },
      async function* ({ inputStream, init }) {
        seen.push(init.state);
        for await (const __ of inputStream) yield { modelChunk: { content: [{ text: "x" }] } };
      },
    );
    await agent.runText("go");
    expect(seen).toEqual([{ count: 5 }]);
  });
});

describe("a client that carries the state", () => {
  const agent = counterOf({ state: NEEDED, initialState: { count: 5 } });

  it("starts with the initial one, and its own wins over it", async () => {
    const { state } = await agent.runText("go");
    expect(state?.custom).toEqual({ count: 6 });
    expect((await agent.runText("go", { state: state! })).state?.custom).toEqual({ count: 7 });
    const sent = await agent.runText("go", { state: { custom: { count: 40 } } });
    expect(sent.state?.custom).toEqual({ count: 41 });
  });

  it("that sends only messages starts with the initial one", async () => {
    const { state } = await agent.runText("go", { state: { messages: [] } });
    expect(state?.custom).toEqual({ count: 6 });
  });
});

describe("an initial state without a schema", () => {
  it("is what new sessions start with", async () => {
    const agent = counterOf({ initialState: { count: 2 } });
    expect((await agent.runText("go")).state?.custom).toEqual({ count: 3 });
  });

  it("may be any JSON", async () => {
    for (const initialState of [0, "", false, null, []]) {
      const agent = agentOf({ initialState }, () => {});
      expect((await agent.runText("go")).state?.custom).toEqual(initialState);
    }
  });
});

describe("an initial state that cannot be used", () => {
  const define = (options: object): unknown =>
    defineCustomAgent({ name: "a", ...options }, () => {});

  it.each<[string, object, string]>([
    [
      "missing, where the schema has no default",
      { state: NEEDED },
      "Agent 'a' has a state schema but no initial state: the schema accepts neither undefined nor {}. Provide 'initialState'.",
    ],
    [
      "that does not fit its schema",
      { state: NEEDED, initialState: { count: "1" } },
      "initialState of agent 'a' does not fit its schema at \"/count\".",
    ],
    [
      "that is not JSON",
      { initialState: { count: 1n } },
      "Value at initialState.count is not JSON-serializable (bigint).",
    ],
  ])("is refused at the agent's definition when it is one %s", async (_, options, message) => {
    const error = await errorOf(() => define(options));
    expect(error).toMatchObject({ status: "INVALID_ARGUMENT", message });
  });

  it.each<[string, object, RegExp]>([
    ["a function makes", { state: NEEDED, initialState: () => ({}) }, /"\/count"/],
    [
      "a function throws",
      {
        initialState: () => {
          throw new Error("secret");
        },
      },
      /^initialState of agent 'actor' failed/,
    ],
    ["a function promises", { initialState: async () => await Promise.resolve(1) }, /\(Promise\)/],
    [
      "an asynchronous schema refuses",
      {
        state: NEEDED.refine(async () => await Promise.resolve(false)),
        initialState: { count: 1 },
      },
      /^initialState of agent 'actor' does not fit/,
    ],
    [
      "an asynchronous schema has no default for",
      { state: asynchronous(NEEDED) },
      /Provide 'initialState'/,
    ],
  ])("fails the run when it is one that %s", async (_, options, message) => {
    const store: SessionStore = await STORES[0]![1]();
    const agent = agentOf({ store, ...options }, () => {});
    const { finishReason, error } = await agent.runText("go", { sessionId: "s" });
    expect(finishReason).toBe("failed");
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain("secret");
    expect(await agent.listSnapshots("s")).toEqual([]);
  });
});
