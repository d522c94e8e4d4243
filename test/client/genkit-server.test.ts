import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expressHandler } from "@genkit-ai/express";
import express from "express";
import { genkit, InMemorySessionStore, z } from "genkit/beta";
import { genkitProtocol, type RemoteAgent, remoteAgent } from "turnkeep/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

interface Counted {
  count: number;
}

describe("a server of Genkit's own, talked to by our client", () => {
  let server: Server;
  let agent: RemoteAgent<Counted>;

  beforeAll(async () => {
    const ai = genkit({ promptDir: null });
    const counter = ai.defineCustomAgent<Counted>(
      {
        name: "counter",
        store: new InMemorySessionStore(),
        stateSchema: z.object({ count: z.number() }),
      },
      async (session, { sendChunk, abortSignal }) => {
        await session.run(async ({ message }) => {
          const text = message?.content[0]?.text ?? "";
          if (text === "fail") throw new Error("told to fail");
          if (text === "wait") await aborted(abortSignal);
          session.updateCustom((custom) => ({ count: (custom?.count ?? 0) + 1 }));
          for (const word of text.split(" ")) {
            sendChunk({ modelChunk: { role: "model", index: 0, content: [{ text: word }] } });
          }
          session.addMessages([{ role: "model", content: [{ text: text.toUpperCase() }] }]);
          return { finishReason: "stop" };
        });
        return { message: session.getMessages().at(-1) };
      },
    );
    const app = express()
      .use(express.json())
      .post("/counter", expressHandler(counter))
      .post("/counter/getSnapshot", expressHandler(counter.getSnapshotDataAction))
      .post("/counter/abort", expressHandler(counter.abortAgentAction));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    agent = remoteAgent<Counted>({
      url: `http://127.0.0.1:${port}/counter`,
      protocol: genkitProtocol,
    });
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test("answers, and goes on with the session", async () => {
    const first = await agent.runText("grüß dich", { sessionId: "talk" });
    expect(first).toMatchObject({ finishReason: "stop", sessionId: "talk" });
    expect(first.message?.content).toEqual([{ text: "GRÜSS DICH" }]);
    const second = await agent.runText("again", { sessionId: "talk" });
    const snapshot = await agent.getSnapshot(second.snapshotId ?? "");
    expect(snapshot).toMatchObject({ status: "completed", parentId: first.snapshotId });
    expect(snapshot.state?.custom).toEqual({ count: 2 });
    expect((await agent.getLatestSnapshot("talk")).snapshotId).toBe(second.snapshotId);
  });

  test("streams chunks, and the state with them", async () => {
    const connection = agent.connect({ sessionId: "streamed" });
    await connection.sendText("one two three");
    const words: string[] = [];
    for await (const { modelChunk, turnEnd } of connection.receive()) {
      if (modelChunk) words.push(modelChunk.content[0]?.text ?? "");
      if (turnEnd) break;
    }
    expect(words).toEqual(["one", "two", "three"]);
    expect(connection.custom()).toEqual({ count: 1 });
    expect((await connection.output()).finishReason).toBe("stop");
  });

  test("says that a turn failed", async () => {
    const failed = await agent.runText("fail", { sessionId: "failing" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { message: "told to fail" } });
  });

  test("works in the background, and can be waited for and aborted", async () => {
    const input = (text: string) => ({ message: { role: "user" as const, content: [{ text }] } });
    const detached = await agent.detach(input("later"));
    expect(await detached.wait()).toMatchObject({ status: "completed" });
    const waiting = await agent.detach(input("wait"));
    await waiting.abort();
    expect(await agent.getSnapshot(waiting.snapshotId)).toMatchObject({ status: "aborted" });
  });

  test("is not asked for what it cannot do", async () => {
    await expect(agent.listSessions()).rejects.toMatchObject({ status: "UNIMPLEMENTED" });
  });
});

async function aborted(signal = AbortSignal.abort()): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
