import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expressHandler } from "@genkit-ai/express";
import express from "express";
import { remoteAgent } from "genkit/beta/client";
import { defineCustomAgent, type SessionStore } from "turnkeep";
import { registerAgent } from "turnkeep/genkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { memory, talker } from "./talker.ts";

// Genkit's own Express transport, as its documentation mounts it.
describe("expressHandler of @genkit-ai/express", () => {
  test("serves a turn of an agent as JSON", async () => {
    const { url } = await served(memory());
    const { status, body } = await post(url, { data: message("a"), init: { sessionId: "s" } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ result: { sessionId: "s", finishReason: "stop" } });
    const again = await post(url, { data: message("b"), init: { sessionId: "s" } });
    expect(again.body).toMatchObject({ result: { message: { content: [{ text: "B of A" }] } } });
  });

  test("serves a turn of an agent as a stream", async () => {
    const { url } = await served(memory());
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ data: message("a"), init: {} }),
    });
    const frames = (await response.text())
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice("data: ".length)) as object);
    expect(frames[0]).toMatchObject({ message: { modelChunk: { content: [{ text: "A" }] } } });
    expect(frames.at(-2)).toMatchObject({ message: { turnEnd: { finishReason: "stop" } } });
    expect(frames.at(-1)).toMatchObject({ result: { finishReason: "stop" } });
  });

  test("serves an agent without a store, whose client carries the state", async () => {
    const { url } = await served(undefined);
    const first = (await post(url, { data: message("a"), init: {} })).body as Result;
    const second = await post(url, { data: message("b"), init: { state: first.result.state } });
    expect(second.body).toMatchObject({ result: { message: { content: [{ text: "B of A" }] } } });
  });

  test("serves Genkit's own client, with the companions for snapshots and aborts", async () => {
    const { url, waits } = await served(memory());
    const client = remoteAgent({ url });
    const chat = client.chat();
    expect((await chat.send("a")).text).toBe("A");
    const read = await client.getSnapshot(chat.snapshotId!);
    expect(read).toMatchObject({ status: "completed", sessionId: chat.sessionId });
    const task = await client.chat().detach("wait");
    await waits;
    expect(await task.abort()).toBe("aborted");
    expect(await client.getSnapshot(task.snapshotId)).toMatchObject({ status: "aborted" });
  });

  test("waits for a turn in the background by the companion for it", async () => {
    const { url } = await served(memory());
    const { body } = await post(url, { data: { ...message("a"), detach: true }, init: {} });
    const { snapshotId } = (body as Result).result;
    const waited = await post(`${url}/waitForSnapshot`, { data: { snapshotId } });
    expect(waited.body).toMatchObject({ result: { snapshotId, status: "completed" } });
  });

  test("serves an agent that was registered later", async () => {
    const { ai } = talker(undefined);
    const counter = defineCustomAgent({ name: "counter", store: memory() }, async ({ session }) => {
      await session.run(() => {
        session.addMessages({ role: "model", content: [{ text: "one" }] });
        return { finishReason: "stop" };
      });
    });
    const agent = registerAgent(ai, counter);
    onTestFinished(() => agent.close());
    const url = await listen(express().use(express.json()).post("/counter", expressHandler(agent)));
    const { body } = await post(`${url}/counter`, { data: message("go"), init: {} });
    expect(body).toMatchObject({ result: { message: { content: [{ text: "one" }] } } });
  });
});

interface Result {
  readonly result: { readonly snapshotId: string; readonly state: object };
}

async function served(
  store: SessionStore | undefined,
): Promise<{ readonly url: string; readonly waits: Promise<void> }> {
  const { agent, waits } = talker(store);
  const app = express().use(express.json()).post("/talker", expressHandler(agent));
  if (store) {
    app
      .post("/talker/getSnapshot", expressHandler(agent.getSnapshotDataAction!))
      .post("/talker/abort", expressHandler(agent.abortAgentAction!))
      .post("/talker/waitForSnapshot", expressHandler(agent.waitForSnapshotAction!));
  }
  return { url: `${await listen(app)}/talker`, waits };
}

async function listen(app: express.Express): Promise<string> {
  const server: Server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(
  url: string,
  body: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function message(text: string): object {
  return { message: { role: "user", content: [{ text }] } };
}
