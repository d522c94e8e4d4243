import { describe, expect, test } from "vitest";
import { turnDeadline } from "../../support/turn-deadline.ts";
import { say, stallAfter, startChatServer } from "./openai-server.ts";
import { piecesOf, remoteAgent } from "./remote-agent.ts";
import { sqlitePlace, STORES } from "./stores.ts";

// The plugin hands the signal on to its HTTP client (`openAIModelRunner`), so what an abort has to reach is the socket.
describe.each(STORES)("an abort over %s closes the request to the provider", (_, placeOf) => {
  test("by the id of the snapshot", async () => {
    const server = await startChatServer([stallAfter("Hel"), say("again")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
    await firstPiece(chunks);
    const [pending] = await agent.listSnapshots("s");
    expect(await agent.abort(pending!.snapshotId)).toMatchObject({ status: "aborted" });
    await server.clientLeft;
    expect(await output).toMatchObject({ finishReason: "aborted" });
    expect(await agent.getSnapshot(pending!.snapshotId)).toMatchObject({ status: "aborted" });
    expect(await agent.runText("hello?", { sessionId: "s" })).toMatchObject({
      finishReason: "stop",
    });
  });

  test("by the caller's own signal", async () => {
    const server = await startChatServer([stallAfter("Hel")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    const caller = new AbortController();
    const { chunks, output } = agent.streamText("hi", { sessionId: "s", signal: caller.signal });
    await firstPiece(chunks);
    caller.abort();
    await server.clientLeft;
    expect(await output).toMatchObject({ finishReason: "aborted" });
  });

  test("by the id of an open connection's run", async () => {
    const server = await startChatServer([say("one"), stallAfter("Hel")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    const connection = agent.connect({ sessionId: "s" });
    const received = connection.receive();
    await connection.sendText("1");
    expect(await firstPiece(received)).toBe("one");
    await connection.sendText("2");
    expect(await firstPiece(connection.receive())).toBe("Hel");
    await agent.abort(connection.runId);
    await server.clientLeft;
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    const statuses = (await agent.listSnapshots("s")).map(({ status }) => status);
    expect(statuses).toEqual(["completed", "aborted"]);
  });

  test("of a detached run", async () => {
    const server = await startChatServer([stallAfter("Hel")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    const input = { message: { role: "user" as const, content: [{ text: "hi" }] } };
    const detached = await agent.detach(input, { sessionId: "s" });
    await firstChunkOf(agent.attach(detached.runId));
    await detached.abort();
    await server.clientLeft;
    expect(await detached.wait()).toMatchObject({ status: "aborted" });
  });
});

test("an abort from another machine closes the request to the provider", async () => {
  const server = await startChatServer([stallAfter("Hel")]);
  const place = await sqlitePlace();
  const here = remoteAgent(server, await place.open()).agent;
  const elsewhere = remoteAgent(server, await place.open()).agent;
  const { chunks, output } = here.streamText("hi", { sessionId: "s" });
  await firstPiece(chunks);
  const [pending] = await elsewhere.listSnapshots("s");
  await elsewhere.abort(pending!.snapshotId);
  await server.clientLeft;
  expect(await output).toMatchObject({ finishReason: "aborted" });
});

test("a turn that takes too long closes the request to the provider and fails", async () => {
  const server = await startChatServer([stallAfter("Hel")]);
  const store = await (await sqlitePlace()).open();
  const deadline = turnDeadline();
  const { agent } = remoteAgent(server, store, deadline.options);
  const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
  await firstPiece(chunks);
  deadline.pass();
  await server.clientLeft;
  expect(await output).toMatchObject({
    finishReason: "failed",
    error: { status: "DEADLINE_EXCEEDED" },
  });
});

test("without a store the caller's signal closes the request to the provider", async () => {
  const server = await startChatServer([stallAfter("Hel")]);
  const { agent } = remoteAgent(server, undefined);
  const caller = new AbortController();
  const { chunks, output } = agent.streamText("hi", { signal: caller.signal });
  await firstPiece(chunks);
  caller.abort();
  await server.clientLeft;
  expect(await output).toMatchObject({ finishReason: "aborted" });
});

async function firstPiece(
  chunks: AsyncIterable<Parameters<typeof piecesOf>[0][number]>,
): Promise<string> {
  for await (const chunk of chunks) {
    const [piece] = piecesOf([chunk]);
    if (piece !== undefined) return piece;
  }
  return expect.unreachable("no text came");
}

async function firstChunkOf(
  updates: AsyncIterable<{ readonly chunk?: Parameters<typeof piecesOf>[0][number] }>,
): Promise<void> {
  for await (const { chunk } of updates) if (chunk && piecesOf([chunk]).length > 0) return;
}
