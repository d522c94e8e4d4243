import { type } from "arktype";
import {
  type Agent,
  type AgentOutput,
  type AgentTools,
  currentSession,
  defineCustomAgent,
  type Json,
  type LocalAgent,
  type Session,
} from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import * as valibot from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

type Mood = { mood: string; count: number };

const state = z.object({ mood: z.string(), count: z.number() });
const initialState: Mood = { mood: "fine", count: 0 };
const store = new MemoryStore();

test("an agent's state is typed by its schema", () => {
  const options = { name: "a", state, initialState, store };
  const agent = defineCustomAgent(options, async ({ session, init }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
    expectTypeOf(init.state?.custom).toEqualTypeOf<Mood | undefined>();
    await session.run(() => {
      session.updateCustom((draft) => {
        expectTypeOf(draft).toEqualTypeOf<Mood>();
        draft.count += 1;
      });
      session.setCustom({ mood: "fine", count: 1 });
    });
  });
  expectTypeOf(agent).toEqualTypeOf<LocalAgent<Mood>>();
  expectTypeOf(agent.runText("a")).resolves.toEqualTypeOf<AgentOutput<Mood>>();
  expectTypeOf(agent.connect().custom()).toEqualTypeOf<Mood | undefined>();
});

test("by any library", () => {
  const ofValibot = valibot.object({ mood: valibot.string(), count: valibot.number() });
  const ofArktype = type({ mood: "string", count: "number" });
  const byValibot = defineCustomAgent({ name: "a", state: ofValibot, initialState }, () => {});
  expectTypeOf(byValibot).toEqualTypeOf<LocalAgent<Mood>>();
  const byArktype = defineCustomAgent({ name: "a", state: ofArktype, initialState }, () => {});
  expectTypeOf(byArktype).toEqualTypeOf<LocalAgent<Mood>>();
});

test("without a schema it is any JSON", () => {
  const agent = defineCustomAgent({ name: "a" }, ({ session }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Json | undefined>();
  });
  expectTypeOf(agent).toEqualTypeOf<LocalAgent>();
  expectTypeOf(currentSession()).toEqualTypeOf<Session | undefined>();
  expectTypeOf(currentSession<Mood>()).toEqualTypeOf<Session<Mood> | undefined>();
});

test("what does not fit does not compile", () => {
  defineCustomAgent({ name: "a", state, initialState }, async ({ session }) => {
    // @ts-expect-error -- the count is a number
    session.setCustom({ mood: "fine", count: "1" });
    // @ts-expect-error -- the count is missing
    session.updateCustom(() => ({ mood: "fine" }));
    // @ts-expect-error -- there is no such member
    session.updateCustom((draft) => void (draft.missing = 1));
    // @ts-expect-error -- updates are synchronous
    session.updateCustom(async (draft) => void (draft.count = 1));
    // @ts-expect-error -- messages have content
    session.addMessages({ role: "model" });
    // @ts-expect-error -- no such role
    session.addMessages({ role: "robot", content: [] });
    // @ts-expect-error -- what is read cannot be changed
    session.messages().push({ role: "model", content: [] });
    // @ts-expect-error -- no such reason
    await session.run(() => ({ finishReason: "bored" }));
  });
  const agent = defineCustomAgent({ name: "a", state, initialState }, () => {});
  // @ts-expect-error -- the mood is text
  void agent.runText("a", { state: { custom: { mood: 5, count: 1 } } });
  // @ts-expect-error -- a fork's state is of the same type
  void agent.fork("s.1", { state: { custom: { mood: 5, count: 1 } } });
  defineCustomAgent(
    {
      name: "a",
      state,
      initialState,
      // @ts-expect-error -- transforms are given the schema's type
      transformState: ({ custom }) => ({ messages: [], custom: custom?.missing }),
    },
    () => {},
  );
});

test("options that are not there do not compile", () => {
  // @ts-expect-error -- no such option
  defineCustomAgent({ name: "a", tools: [] }, () => {});
  // @ts-expect-error -- no such rule
  defineCustomAgent({ name: "a", snapshotWhen: "sometimes" }, () => {});
  // @ts-expect-error -- no such policy
  defineCustomAgent({ name: "a", onBusy: "wait" }, () => {});
  // @ts-expect-error -- it is no schema
  defineCustomAgent({ name: "a", state: { mood: "string" } }, () => {});
  // @ts-expect-error -- an agent has a name
  defineCustomAgent({ store }, () => {});
  const agent = defineCustomAgent({ name: "a" }, () => {});
  // @ts-expect-error -- no such option
  void agent.runText("a", { session: "s" });
  // @ts-expect-error -- a reader brings no session
  void agent.getSnapshot("s.1", { sessionId: "s" });
});

test("a status is typed where the agent says its type", () => {
  defineCustomAgent<Mood, { step: number }>({ name: "a", state }, ({ respond }) => {
    respond.status({ step: 1 });
    // @ts-expect-error -- a step is a number
    respond.status({ step: "one" });
  });
});

test("a migration makes what the schema takes in", () => {
  const schema = z.object({ mood: z.string(), count: z.number().default(0) });
  const agent = defineCustomAgent(
    {
      name: "a",
      state: {
        version: 2,
        schema,
        migrate: (kept, fromVersion) => {
          expectTypeOf(kept).toEqualTypeOf<unknown>();
          expectTypeOf(fromVersion).toEqualTypeOf<number>();
          // The count may be left out: the schema has a default for it.
          return { mood: String(kept) };
        },
      },
      // As the schema takes it in.
      initialState: { mood: "fine" },
    },
    ({ session }) => {
      expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
    },
  );
  expectTypeOf(agent).toEqualTypeOf<LocalAgent<Mood>>();
  const later = { version: 2, schema, migrate: async () => ({ mood: "fine" }) };
  const migrated = defineCustomAgent({ name: "a", state: later, initialState }, () => {});
  expectTypeOf(migrated).toEqualTypeOf<LocalAgent<Mood>>();
});

test("a migration that makes something else does not compile", () => {
  const schema = z.object({ mood: z.string(), count: z.number().default(0) });
  defineCustomAgent(
    // @ts-expect-error -- the mood is text
    { name: "a", state: { version: 2, schema, migrate: () => ({ mood: 5 }) } },
    () => {},
  );
  defineCustomAgent(
    // @ts-expect-error -- what was kept is not known to fit
    { name: "a", state: { version: 2, schema, migrate: (kept) => kept } },
    () => {},
  );
  defineCustomAgent(
    // @ts-expect-error -- a migration without a version
    { name: "a", state: { schema, migrate: () => ({ mood: "fine" }) } },
    () => {},
  );
  defineCustomAgent(
    // @ts-expect-error -- a version is a number
    { name: "a", state: { version: "2", schema } },
    () => {},
  );
});

test("an initial state is asked for where the schema has no default", () => {
  // @ts-expect-error -- the schema takes neither undefined nor {}
  defineCustomAgent({ name: "a", state }, () => {});
  // @ts-expect-error -- the schema takes neither undefined nor {}
  defineCustomAgent({ name: "a", state: { version: 1, schema: state } }, () => {});
  defineCustomAgent({ name: "a", state, initialState: () => initialState }, () => {});
  // @ts-expect-error -- the count is missing
  defineCustomAgent({ name: "a", state, initialState: { mood: "fine" } }, () => {});
  // @ts-expect-error -- a function makes what the schema takes in
  defineCustomAgent({ name: "a", state, initialState: () => ({ mood: 5, count: 1 }) }, () => {});
  // @ts-expect-error -- without a schema, the type that the agent says
  defineCustomAgent<Mood>({ name: "a", initialState: { mood: "fine" } }, () => {});
});

test("a schema with defaults needs no initial state, and its state is never undefined", () => {
  const whole = state.default({ mood: "fine", count: 0 });
  defineCustomAgent({ name: "a", state: whole }, ({ session }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
  });
  const ofZod = z.object({ mood: z.string().default("fine"), count: z.number().default(0) });
  defineCustomAgent({ name: "a", state: ofZod }, ({ session }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
  });
  const ofValibot = valibot.object({
    mood: valibot.optional(valibot.string(), "fine"),
    count: valibot.optional(valibot.number(), 0),
  });
  defineCustomAgent({ name: "a", state: ofValibot }, ({ session }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
  });
  const ofArktype = type({ mood: "string = 'fine'", count: "number = 0" });
  defineCustomAgent({ name: "a", state: ofArktype }, ({ session }) => {
    expectTypeOf(session.custom()).toEqualTypeOf<Mood>();
  });
});

test("a status has the agent's type for those who read it, too", async () => {
  interface Step {
    step: number;
  }
  const agent = defineCustomAgent<Mood, Step>({ name: "a", state, initialState }, () => {});
  expectTypeOf(agent).toEqualTypeOf<LocalAgent<Mood, Json, Json, Step>>();
  for await (const { status } of agent.streamText("a").chunks) {
    expectTypeOf(status).toEqualTypeOf<Step | undefined>();
  }
  for await (const { status } of agent.connect().receive()) {
    expectTypeOf(status).toEqualTypeOf<Step | undefined>();
  }
  for await (const { chunk } of agent.connect().events()) {
    expectTypeOf(chunk?.status).toEqualTypeOf<Step | undefined>();
  }
  for await (const { chunk } of agent.attach("s.1")) {
    expectTypeOf(chunk?.status).toEqualTypeOf<Step | undefined>();
  }
  // Said once, by what the function takes.
  const inferred = defineCustomAgent({ name: "a" }, ({ respond }: AgentTools<Json, Step>) =>
    respond.status({ step: 1 }),
  );
  expectTypeOf(inferred).toEqualTypeOf<LocalAgent<Json, Json, Json, Step>>();
  expectTypeOf(agent).toExtend<Agent<Mood, Json, Json, Step>>();
});

test("a transform may change what it gets: it is a copy", () => {
  type Frozen = { readonly mood: string; readonly steps: readonly { readonly done: boolean }[] };
  defineCustomAgent<Frozen, { readonly step: number }>(
    {
      name: "a",
      transformState: (given) => {
        given.messages?.pop();
        given.artifacts = [];
        if (given.custom) {
          given.custom.mood = "hidden";
          given.custom.steps.push({ done: true });
          given.custom.steps[0]!.done = false;
        }
        for (const message of given.messages ?? []) message.content.length = 0;
        return given;
      },
      transformStream: (chunk) => {
        if (chunk.status) chunk.status.step = 1;
        delete chunk.modelChunk;
        return chunk;
      },
    },
    () => {},
  );
  defineCustomAgent({ name: "a", transformState: async (given) => given }, () => {});
  // @ts-expect-error -- to send nothing, a transform returns undefined
  defineCustomAgent({ name: "a", transformState: () => null }, () => {});
});

test("options may be undefined, also where optional properties are exact", async () => {
  const agent = defineCustomAgent(
    { name: "a", store: undefined, limits: { turnMs: undefined } },
    () => {},
  );
  const { sessionId, snapshotId, state: carried } = await agent.runText("a", {});
  expectTypeOf(sessionId).toEqualTypeOf<string>();
  void agent.runText("a", { sessionId, snapshotId });
  void agent.runText("a", { state: carried, signal: undefined, onBusy: undefined });
  void agent.run({ message: undefined, resume: undefined });
  void agent.fork("s.1", { sessionId: undefined, state: carried });
  void agent.listSessions({ after: undefined, limit: undefined });
  void agent.waitFor("s.1", { signal: undefined, tenant: undefined });
});

test("a snapshot policy may be asynchronous", () => {
  defineCustomAgent({ name: "a", store, snapshotWhen: async () => true }, () => {});
});

test("an output has its text", async () => {
  const agent = defineCustomAgent({ name: "a" }, () => {});
  const { text } = await agent.runText("a");
  expectTypeOf(text).toEqualTypeOf<string>();
});
