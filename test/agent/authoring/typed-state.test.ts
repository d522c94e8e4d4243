import { type } from "arktype";
import { defineCustomAgent, type SessionStore, type StateSchema } from "turnkeep";
import * as valibot from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { STORES } from "./stores.ts";
import { agentOf, errorOf } from "./turns.ts";

interface Mood {
  mood: string;
  count: number;
}

// As the schemas take it in: the count is filled in.
const NEW = { mood: "new" } as Mood;

const CANARY = "canary-4711";

// The same shape, said by three libraries; the count has a default.
const SCHEMAS: readonly (readonly [string, StateSchema<Mood>])[] = [
  ["zod", z.object({ mood: z.string(), count: z.number().default(7) })],
  [
    "valibot",
    valibot.object({ mood: valibot.string(), count: valibot.optional(valibot.number(), 7) }),
  ],
  ["arktype", type({ mood: "string", count: "number = 7" })],
];

const CASES = STORES.flatMap(([store, openStore]) =>
  SCHEMAS.map(([library, schema]) => ({ store, library, openStore, schema })),
);

describe.each(CASES)("state typed by $library over $store", ({ openStore, schema }) => {
  it("fails gracefully when what is stored no longer fits, naming the place and no data", async () => {
    const store = await openStore();
    await keep(store, { mood: 5, secret: CANARY });
    const output = await counter(store, schema).runText("go", { sessionId: "s" });
    expect(output).toMatchObject({
      finishReason: "failed",
      error: { status: "INVALID_ARGUMENT" },
    });
    expect(output.error?.message).toBe('state.custom does not fit its schema at "/mood".');
    expect(JSON.stringify(output)).not.toContain(CANARY);
    expect(await counter(store, schema).listSnapshots("s")).toHaveLength(1);
  });

  it("shows the handler a stored state as the schema reads it", async () => {
    const store = await openStore();
    await keep(store, { mood: "fine" });
    const output = await counter(store, schema).runText("go", { sessionId: "s" });
    expect(output.error).toBeUndefined();
    const { state } = await counter(store, schema).getLatestSnapshot("s");
    expect(state?.custom).toEqual({ mood: "fine", count: 8 });
  });

  it("lets a state pass that was unset", async () => {
    const agent = agentOf<Mood>(
      { store: await openStore(), state: schema, initialState: NEW },
      ({ session }) => session.setCustom(undefined as never),
    );
    expect((await agent.runText("go")).error).toBeUndefined();
  });

  it("fails a turn that leaves a state that does not fit, and keeps the one before", async () => {
    const agent = agentOf<Mood>(
      { store: await openStore(), state: schema, initialState: NEW },
      ({ session }, _, text) =>
        session.setCustom(
          text === "good" ? { mood: "fine", count: 1 } : ({ mood: 5, x: CANARY } as never),
        ),
    );
    await agent.runText("good", { sessionId: "s" });
    const failed = await agent.runText("bad", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { status: "INVALID_ARGUMENT" } });
    expect(failed.error?.message).toContain('"/mood"');
    expect(JSON.stringify(failed)).not.toContain(CANARY);
    const { state, status } = await agent.getSnapshot(failed.snapshotId!);
    expect(status).toBe("failed");
    expect(state?.custom).toEqual({ mood: "fine", count: 1 });
    expect((await agent.runText("good", { sessionId: "s" })).error).toBeUndefined();
  });

  it("does not keep a state that does not fit, even when the turn asked to keep it", async () => {
    const agent = agentOf<Mood>(
      { store: await openStore(), state: schema, initialState: NEW },
      ({ session }, turn, text) => {
        if (text !== "bad") return session.setCustom({ mood: "fine", count: 1 });
        session.setCustom({ mood: 5 } as never);
        turn.keep();
        throw new Error("no luck");
      },
    );
    await agent.runText("good", { sessionId: "s" });
    await agent.runText("bad", { sessionId: "s" });
    const again = await agent.runText("good", { sessionId: "s" });
    expect(again.error).toBeUndefined();
  });

  it("refuses to fork with a state that does not fit", async () => {
    const agent = agentOf<Mood>(
      { store: await openStore(), state: schema, initialState: NEW },
      ({ session }) => session.setCustom({ mood: "fine", count: 1 }),
    );
    const { snapshotId = "" } = await agent.runText("go", { sessionId: "s" });
    const state = { custom: { mood: 5, x: CANARY } as never };
    const error = await errorOf(() => agent.fork(snapshotId, { sessionId: "f", state }));
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: 'state.custom does not fit its schema at "/mood".',
    });
    expect(await agent.listSnapshots("f")).toEqual([]);
    const edited = { custom: { mood: "edited", count: 2 } };
    const fork = await agent.fork(snapshotId, { sessionId: "f", state: edited });
    expect(fork.state?.custom).toEqual(edited.custom);
  });

  it("refuses to fork what is stored and no longer fits", async () => {
    const store = await openStore();
    const snapshotId = await keep(store, { mood: 5 });
    const agent = counter(store, schema);
    const error = await errorOf(() => agent.fork(snapshotId, { sessionId: "f" }));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(await agent.listSnapshots("f")).toEqual([]);
  });

  it("does not keep a state that the agent spoiled after its last turn", async () => {
    const agent = defineCustomAgent<Mood>(
      { name: "actor", store: await openStore(), state: schema, initialState: NEW },
      async ({ session }) => {
        await session.run(() => session.setCustom({ mood: "fine", count: 1 }));
        session.setCustom({ mood: 5 } as never);
      },
    );
    const output = await agent.runText("go", { sessionId: "s" });
    expect(output).toMatchObject({ finishReason: "failed", error: { status: "INVALID_ARGUMENT" } });
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.custom).toEqual({ mood: "fine", count: 1 });
  });
});

describe.each(SCHEMAS)("state that clients carry, typed by %s", (_, schema) => {
  const agent = agentOf<Mood>({ state: schema, initialState: NEW }, ({ session }) =>
    session.updateCustom((draft) => ({ mood: "fine", count: draft.count + 1 })),
  );

  it("fails gracefully when it does not fit, gives it back, and runs nothing", async () => {
    const state = { sessionId: "s", messages: [], custom: { mood: 5, secret: CANARY } as never };
    const output = await agent.runText("go", { state });
    expect(output).toMatchObject({
      finishReason: "failed",
      error: {
        status: "INVALID_ARGUMENT",
        message: 'state.custom does not fit its schema at "/mood".',
      },
    });
    expect(output.state).toEqual(state);
    expect(JSON.stringify(output.error)).not.toContain(CANARY);
  });

  it("goes on when it fits", async () => {
    const first = await agent.runText("go");
    const second = await agent.runText("go", { state: first.state! });
    expect(second.state?.custom).toEqual({ mood: "fine", count: 9 });
  });

  it("gives back the state before when a turn spoils it", async () => {
    const spoiler = agentOf<Mood>({ state: schema, initialState: NEW }, ({ session }) =>
      session.setCustom({ mood: 5 } as never),
    );
    const state = { sessionId: "s", custom: { mood: "fine", count: 1 } };
    const output = await spoiler.runText("go", { state });
    expect(output).toMatchObject({ finishReason: "failed", error: { status: "INVALID_ARGUMENT" } });
    expect(output.state?.custom).toEqual(state.custom);
  });
});

it("describes the schema in the agent's metadata", () => {
  const agent = agentOf<Mood>({ state: SCHEMAS[0]![1], initialState: NEW }, () => {});
  expect(agent.metadata).toMatchObject({
    stateManagement: "client",
    abortable: false,
    stateSchema: { type: "object", properties: { mood: { type: "string" } } },
  });
});

// Writes a state by an agent of the same name that has no schema, as an older version would have.
async function keep(store: SessionStore, custom: Record<string, string | number>): Promise<string> {
  const older = agentOf({ store }, ({ session }) => session.setCustom(custom));
  return (await older.runText("old", { sessionId: "s" })).snapshotId!;
}

function counter(store: SessionStore, schema: StateSchema<Mood>): ReturnType<typeof agentOf<Mood>> {
  return agentOf<Mood>({ store, state: schema, initialState: NEW }, ({ session }) =>
    session.updateCustom((draft) => {
      draft.count += 1;
    }),
  );
}
