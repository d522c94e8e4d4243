import fc from "fast-check";
import { type AgentStreamChunk, defineCustomAgent, type Json } from "turnkeep";
import { applyPatch } from "turnkeep/protocol";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { STORES } from "./stores.ts";
import { agentOf, chunksOf } from "./turns.ts";

interface Task {
  title: string;
  steps: string[];
}

const patchesOf = (chunks: readonly AgentStreamChunk[]): readonly unknown[] =>
  chunks.map(({ customPatch }) => customPatch).filter((patch) => patch !== undefined);

describe.each(STORES)("live state over %s", (_, openStore) => {
  it("sends the whole state first in each turn, then only what changed", async () => {
    const agent = agentOf<Task>({ store: await openStore() }, ({ session }) => {
      session.updateCustom((draft) => draft ?? { title: "t", steps: [] });
      session.updateCustom((draft) => {
        draft.steps.push("step");
      });
      session.updateCustom(({ steps }) => ({ title: `t${steps.length}`, steps }));
    });
    expect(patchesOf(await chunksOf(agent, "a", { sessionId: "s" }))).toEqual([
      [{ op: "replace", path: "", value: { title: "t", steps: [] } }],
      [{ op: "add", path: "/steps/0", value: "step" }],
      [{ op: "replace", path: "/title", value: "t1" }],
    ]);
    expect(patchesOf(await chunksOf(agent, "b", { sessionId: "s" }))).toEqual([
      [{ op: "replace", path: "", value: { title: "t1", steps: ["step", "step"] } }],
      [{ op: "replace", path: "/title", value: "t2" }],
    ]);
  });

  it("sends nothing when nothing changed", async () => {
    const agent = agentOf<Task>({ store: await openStore() }, ({ session }) => {
      session.setCustom({ title: "t", steps: [] });
      session.setCustom({ steps: [], title: "t" });
      session.updateCustom((draft) => {
        draft.title = "t";
      });
      session.updateCustom(() => {});
    });
    const patches = patchesOf(await chunksOf(agent, "a", { sessionId: "s" }));
    expect(patches).toEqual([[{ op: "replace", path: "", value: { title: "t", steps: [] } }]]);
    expect(patchesOf(await chunksOf(agent, "b", { sessionId: "s" }))).toEqual([]);
  });

  it("is what connection.custom() holds as chunks come in", async () => {
    const agent = agentOf<{ n: number }>({ store: await openStore() }, ({ session }) => {
      for (let n = 1; n <= 3; n += 1) session.setCustom({ n });
    });
    const connection = agent.connect();
    expect(connection.custom()).toBeUndefined();
    await connection.sendText("go");
    const held: unknown[] = [];
    for await (const chunk of connection.receive()) {
      held.push(connection.custom());
      if (chunk.turnEnd) break;
    }
    expect(held).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 3 }]);
    await connection.output();
  });

  it("takes back on clients what a failed turn takes back", async () => {
    const agent = agentOf<{ n: number }>(
      { store: await openStore() },
      ({ session }, _turn, text) => {
        session.setCustom({ n: Number(text) });
        if (text === "2") throw new Error("no luck");
      },
    );
    await agent.runText("1", { sessionId: "s" });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("2");
    for await (const chunk of connection.receive()) if (chunk.turnEnd) break;
    expect(connection.custom()).toEqual({ n: 1 });
    await connection.output();
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ n: 1 });
  });

  it("shows a connection what another one did to the state meanwhile", async () => {
    const agent = agentOf<{ n: number }>(
      { store: await openStore() },
      ({ session }, _turn, text) => {
        if (text !== "look") session.setCustom({ n: Number(text) });
      },
    );
    const connection = agent.connect({ sessionId: "s" });
    const hear = async (text: string): Promise<unknown> => {
      await connection.sendText(text);
      for await (const chunk of connection.receive()) if (chunk.turnEnd) break;
      return connection.custom();
    };
    expect(await hear("1")).toEqual({ n: 1 });
    await agent.runText("2", { sessionId: "s" });
    expect(await hear("look")).toEqual({ n: 2 });
    await connection.output();
  });

  it("goes on into the first turn from what the agent set before it", async () => {
    const agent = defineCustomAgent<{ n: number }>(
      { name: "ready", store: await openStore() },
      async ({ session }) => {
        if (session.custom() === undefined) session.setCustom({ n: 0 });
        await session.run(() =>
          session.updateCustom((draft) => {
            draft.n += 1;
          }),
        );
      },
    );
    const patches = patchesOf(await chunksOf(agent, "a", { sessionId: "s" }));
    expect(patches).toEqual([
      [{ op: "replace", path: "", value: { n: 0 } }],
      [{ op: "replace", path: "/n", value: 1 }],
    ]);
    await agent.runText("b", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ n: 2 });
  });

  it("tells clients when the state is forgotten", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }, _turn, text) =>
      session.setCustom(text === "forget" ? (undefined as never) : { text }),
    );
    await agent.runText("a", { sessionId: "s" });
    const patches = patchesOf(await chunksOf(agent, "forget", { sessionId: "s" }));
    expect(patches).toEqual([[{ op: "replace", path: "", value: null }]]);
    expect((await agent.getLatestSnapshot("s")).state).not.toHaveProperty("custom");
  });
});

// Of keys that could reach a prototype, no client takes any.
const anyState = fc
  .jsonValue({ maxDepth: 3 })
  .filter((state) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(state)));

describe("patches", () => {
  it("lead a client from nothing to the final state, whatever the states are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyState, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (states, isHidden) => {
          const plain = states.map((state) => JSON.parse(JSON.stringify(state)) as Json);
          const agent = agentOf(
            {
              store: new MemoryStore(),
              ...(isHidden && {
                transformState: ({ custom, ...rest }) => ({ ...rest, custom: { seen: custom! } }),
              }),
            },
            ({ session }) => {
              for (const state of plain) session.setCustom(state);
            },
          );
          const chunks = await chunksOf(agent, "go", { sessionId: "s" });
          let held: Json = null;
          for (const { customPatch = [] } of chunks) held = applyPatch(held, customPatch);
          const { state } = await agent.getLatestSnapshot("s");
          expect(held).toEqual(state?.custom ?? null);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("and other chunks are what they were when they were said", async () => {
    const agent = agentOf({}, ({ respond }) => {
      const chunk = { modelChunk: { content: [{ text: "before" }] } };
      respond.chunk(chunk);
      chunk.modelChunk.content[0]!.text = "after";
    });
    expect(await chunksOf(agent, "go")).toEqual([
      { modelChunk: { content: [{ text: "before" }] } },
    ]);
  });
});
