import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { echoAgent } from "../agents.ts";
import { STORES } from "./stores.ts";

/** An agent that asks the others, each in a session that belongs to its own. */
function asker(
  name: string,
  store: SessionStore,
  options: { readonly others: readonly LocalAgent[]; readonly areElsewhere?: boolean },
): LocalAgent {
  const { others, areElsewhere = false } = options;
  const agent = defineCustomAgent(
    { name, store, ...(areElsewhere && { linkedAgents: () => others }) },
    async ({ session, tenant }) => {
      await session.run(async (_input, turn) => {
        for (const other of others) {
          const sessionId = `${session.sessionId}:${other.name}`;
          await turn.linkSession({ agent: other.name, sessionId });
          await other.runText("help", { sessionId, tenant });
        }
      });
    },
  );
  onTestFinished(() => agent.close());
  return agent;
}

async function idsOf(agent: LocalAgent): Promise<readonly string[]> {
  return (await agent.listSessions()).sessions.map(({ sessionId }) => sessionId);
}

describe.each(STORES)("deleting a session over %s", (_, createStore) => {
  test("deletes those that belong to it, and theirs, and says which", async () => {
    const store = await createStore();
    const helper = echoAgent({ name: "helper", store });
    const middle = asker("middle", store, { others: [helper] });
    const top = asker("top", store, { others: [middle, helper] });
    for (const sessionId of ["s", "other"]) await top.runText("go", { sessionId });
    expect(await top.deleteSession("s")).toEqual({
      sessionId: "s",
      linked: [
        { agent: "helper", sessionId: "s:helper" },
        { agent: "middle", sessionId: "s:middle" },
        { agent: "helper", sessionId: "s:middle:helper" },
      ],
    });
    expect(await idsOf(top)).toEqual(["other"]);
    expect(await idsOf(middle)).toEqual(["other:middle"]);
    expect((await idsOf(helper)).toSorted()).toEqual(["other:helper", "other:middle:helper"]);
    expect(await top.deleteSession("s")).toBeUndefined();
  });
});

describe("deleting a session", () => {
  test("deletes those that belong to it in other stores, by their agents", async () => {
    const helper = echoAgent({ name: "helper", store: new MemoryStore() });
    const top = asker("top", new MemoryStore(), { others: [helper], areElsewhere: true });
    await top.runText("go", { sessionId: "s" });
    const linked = [{ agent: "helper", sessionId: "s:helper" }];
    expect(await top.deleteSession("s")).toEqual({ sessionId: "s", linked });
    expect(await idsOf(helper)).toEqual([]);
  });

  test("that has none says so", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    await agent.runText("a", { sessionId: "s" });
    expect(await agent.deleteSession("s")).toEqual({ sessionId: "s", linked: [] });
  });

  test("ends where sessions belong to each other", async () => {
    const store = new MemoryStore();
    const agents: LocalAgent[] = [];
    const paired = (name: string, other: string): LocalAgent =>
      defineCustomAgent({ name, store }, async ({ session }) => {
        await session.run((_input, turn) => turn.linkSession({ agent: other, sessionId: "s" }));
      });
    agents.push(paired("left", "right"), paired("right", "left"));
    for (const agent of agents) await agent.runText("go", { sessionId: "s" });
    const linked = [{ agent: "right", sessionId: "s" }];
    expect(await agents[0]!.deleteSession("s")).toEqual({ sessionId: "s", linked });
    for (const agent of agents) expect(await idsOf(agent)).toEqual([]);
  });

  test("can be tried again after a crash in between", async () => {
    const store = new MemoryStore();
    let isDown = true;
    const helper = echoAgent({ name: "helper", store: new MemoryStore() });
    const away = {
      name: "helper",
      eraseSession: async (...call: Parameters<LocalAgent["eraseSession"]>) => {
        if (isDown) throw new Error("killed");
        return await helper.eraseSession(...call);
      },
    };
    const top = defineCustomAgent(
      { name: "top", store, linkedAgents: () => [away] },
      async ({ session }) => {
        await session.run(async (_input, turn) => {
          await turn.linkSession({ agent: "helper", sessionId: "s:helper" });
          await helper.runText("help", { sessionId: "s:helper" });
        });
      },
    );
    await top.runText("go", { sessionId: "s" });
    await expect(top.deleteSession("s")).rejects.toThrow("killed");
    // Still there, and still knows what belongs to it.
    expect(await idsOf(top)).toEqual(["s"]);
    isDown = false;
    expect((await top.deleteSession("s"))?.linked).toHaveLength(1);
    expect([await idsOf(top), await idsOf(helper)]).toEqual([[], []]);
  });

  test("leaves none behind that a turn under way uses meanwhile", async () => {
    const store = new MemoryStore();
    const helper = echoAgent({ name: "helper", store });
    const use = (): Promise<unknown> => helper.runText("help", { sessionId: "s:helper" });
    const away = {
      name: "helper",
      eraseSession: async (...call: Parameters<LocalAgent["eraseSession"]>) => {
        const erased = await helper.eraseSession(...call);
        // Once: the turn, which has not lost its session yet, asks again.
        if ((await idsOf(top)).includes("s")) await use();
        return erased;
      },
    };
    const top: LocalAgent = defineCustomAgent(
      { name: "top", store, linkedAgents: () => [away] },
      async ({ session }) => {
        await session.run(async (_input, turn) => {
          await turn.linkSession({ agent: "helper", sessionId: "s:helper" });
          await use();
        });
      },
    );
    await top.runText("go", { sessionId: "s" });
    await top.deleteSession("s");
    expect(await idsOf(helper)).toEqual([]);
  });

  test("without a store there is nothing to link to", async () => {
    const agent = defineCustomAgent({ name: "carried" }, async ({ session }) => {
      await session.run((_input, turn) => turn.linkSession({ agent: "helper", sessionId: "s" }));
    });
    expect((await agent.runText("go")).error).toBeUndefined();
  });
});
