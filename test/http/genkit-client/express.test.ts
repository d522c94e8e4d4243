import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expressHandler } from "@genkit-ai/express";
import express from "express";
import { type Action, genkit, z } from "genkit/beta";
import { type AgentAPI, remoteAgent, runFlow } from "genkit/beta/client";
import { defineCustomAgent } from "turnkeep/genkit";
import { createHandler } from "turnkeep/http";
import { toNodeHandler } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect } from "../../agent/authoring/turns.ts";
import { untilAborted } from "../../agent/life/waiting.ts";

interface Tally {
  count: number;
}

/** An application on Genkit with a flow and an agent of ours, in Express. */
async function application(): Promise<string> {
  const ai = genkit({});
  const shout = ai.defineFlow({ name: "shout", inputSchema: z.string() }, async (text) =>
    text.toUpperCase(),
  );
  const agent = defineCustomAgent<Tally>(
    ai,
    { name: "tally", store: new MemoryStore() },
    async ({ session, respond }) => {
      await session.run(async ({ message }, { signal }) => {
        const text = message?.content[0]?.text ?? "";
        const count = (session.custom()?.count ?? 0) + 1;
        session.updateCustom(() => ({ count }));
        for (const word of text.split(" ")) respond.text(`${word} `);
        if (text === "endless") await untilAborted(signal);
        session.addMessages({ role: "model", content: [{ text: `${count}: ${text}` }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
  onTestFinished(() => agent.close());
  const action = async (key: string): Promise<Action> => await ai.registry.lookupAction(key);
  const app = express()
    .use(express.json())
    .post("/flows/shout", expressHandler(shout))
    // As Genkit serves the agents that it knows.
    .post("/genkit/tally", expressHandler(await action("/agent/tally")))
    .post("/genkit/tally/getSnapshot", expressHandler(await action("/agent-snapshot/tally")))
    .post("/genkit/tally/abort", expressHandler(await action("/agent-abort/tally")))
    // As we do.
    .use("/agents", toNodeHandler(createHandler([agent], { auth: "public" })));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each([
  ["our handler", "/agents/tally"],
  ["@genkit-ai/express", "/genkit/tally"],
])("Genkit's client, and an agent of ours that %s serves in Express", (_, path) => {
  async function client(): Promise<AgentAPI<Tally>> {
    return remoteAgent<Tally>({ url: `${await application()}${path}` });
  }

  test("talks, and streams text and state", async () => {
    const chat = (await client()).chat({ sessionId: "s" });
    expect(await chat.send("one")).toMatchObject({ text: "1: one", finishReason: "stop" });
    const turn = chat.sendStream("two words");
    const chunks = await collect(turn.stream);
    expect(chunks.map(({ text }) => text).join("")).toBe("two words ");
    expect(chunks.find(({ custom }) => custom)?.custom).toEqual({ count: 2 });
    expect((await turn.response).text).toBe("2: two words");
    expect(chat.messages).toHaveLength(4);
  });

  test("loads a chat by its session and by a snapshot", async () => {
    const agent = await client();
    const chat = agent.chat({ sessionId: "s" });
    await chat.send("one");
    const first = chat.snapshotId ?? "";
    await chat.send("two");
    expect((await agent.loadChat({ sessionId: "s" })).state).toEqual({ count: 2 });
    expect((await agent.loadChat({ snapshotId: first })).state).toEqual({ count: 1 });
  });

  test("detaches a turn and waits for it, or aborts it", async () => {
    const agent = await client();
    const done = await agent.chat().detach("later");
    expect(await done.wait({ intervalMs: 5 })).toMatchObject({
      status: "completed",
      state: { custom: { count: 1 } },
    });
    const endless = await agent.chat().detach("endless");
    expect(await endless.abort()).toBe("aborted");
    expect((await endless.wait({ intervalMs: 5 })).status).toBe("aborted");
  });
});

test("a flow is served by @genkit-ai/express beside our agents", async () => {
  const url = `${await application()}/flows/shout`;
  expect(await runFlow({ url, input: "hello" })).toBe("HELLO");
});
