import { currentSession } from "turnkeep";
import { describe, expect, it } from "vitest";
import { STORES } from "./stores.ts";
import { agentOf, model } from "./turns.ts";

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

// A tool that knows nothing of the agent that calls it.
async function note(text: string): Promise<string | undefined> {
  await pause(1);
  const session = currentSession<{ notes: string[] }>();
  session?.updateCustom((draft) => ({ notes: [...(draft?.notes ?? []), text] }));
  return session?.sessionId;
}

describe.each(STORES)("currentSession() over %s", (_, openStore) => {
  it("is the run's own session in handlers and in what they call", async () => {
    const agent = agentOf<{ notes: string[] }>(
      { store: await openStore() },
      async ({ session }) => {
        expect(currentSession()).toBe(session);
        await Promise.all([note("a"), Promise.resolve().then(() => note("b"))]);
        await new Promise<void>((resolve) => {
          setTimeout(() => {
            expect(currentSession()).toBe(session);
            resolve();
          }, 1);
        });
      },
    );
    const output = await agent.runText("go", { sessionId: "s" });
    expect(output.error).toBeUndefined();
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ notes: ["a", "b"] });
  });

  it("is never another run's, of 50 at once", async () => {
    const agent = agentOf<{ notes: string[] }>(
      { store: await openStore() },
      async ({ session }, _turn, text) => {
        for (let round = 0; round < 3; round += 1) {
          await pause(Math.random() * 4);
          expect(await note(text)).toBe(session.sessionId);
        }
        session.addMessages(model(currentSession()?.sessionId ?? "none"));
      },
    );
    const names = Array.from({ length: 50 }, (__, index) => `s${index}`);
    await Promise.all(
      names.map(async (sessionId) => {
        const output = await agent.runText(sessionId, { sessionId });
        expect(output.error).toBeUndefined();
        expect(output.message).toEqual(model(sessionId));
        const { state } = await agent.getLatestSnapshot(sessionId);
        expect(state?.custom?.notes).toEqual([sessionId, sessionId, sessionId]);
      }),
    );
  });

  it("is the inner one while an agent talks to another", async () => {
    const store = await openStore();
    const inner = agentOf({ name: "inner", store }, ({ session }) => {
      session.addMessages(model(currentSession()!.sessionId));
    });
    const outer = agentOf({ name: "outer", store }, async ({ session }) => {
      const answer = await inner.runText("go", { sessionId: "in" });
      session.addMessages(answer.message!, model(currentSession()!.sessionId));
    });
    const output = await outer.runText("go", { sessionId: "out" });
    expect(output.message).toEqual(model("out"));
    const { state } = await outer.getLatestSnapshot("out");
    expect(state?.messages?.at(-2)).toEqual(model("in"));
  });
});

it("currentSession() is nothing outside of a run", async () => {
  expect(currentSession()).toBeUndefined();
  const agent = agentOf({}, () => {});
  const output = agent.runText("go");
  expect(currentSession()).toBeUndefined();
  await output;
  expect(currentSession()).toBeUndefined();
  const { chunks } = agent.streamText("go");
  for await (const chunk of chunks) expect([chunk, currentSession()]).toEqual([chunk, undefined]);
});
