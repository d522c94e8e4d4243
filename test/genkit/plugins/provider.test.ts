import { describe, expect, test } from "vitest";
import {
  askForTools,
  breakAfter,
  type ChatMessage,
  refuse,
  say,
  startChatServer,
} from "./openai-server.ts";
import { collect, piecesOf, remoteAgent } from "./remote-agent.ts";
import { STORES } from "./stores.ts";

const SYSTEM: ChatMessage = { role: "system", content: "Be brief." };

describe.each(STORES)("a provider plugin's model over %s", (_, placeOf) => {
  test("streams as it comes, and the answer and its usage are kept", async () => {
    const server = await startChatServer([say("Hel", "lo, ", "you")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
    expect(piecesOf(await collect(chunks))).toEqual(["Hel", "lo, ", "you"]);
    expect(await output).toMatchObject({
      finishReason: "stop",
      message: { role: "model", content: [{ text: "Hello, you" }] },
    });
    expect(await agent.getLatestSnapshot("s")).toMatchObject({
      status: "completed",
      usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    });
    expect(server.requests).toMatchObject([
      { model: "tiny", stream: true, messages: [SYSTEM, { role: "user", content: "hi" }] },
    ]);
  });

  test("asks for tools in pieces and gets each answer under its own id", async () => {
    const server = await startChatServer([
      askForTools(
        { id: "call-1", name: "weather", input: { city: "Bern" } },
        { id: "call-2", name: "weather", input: { city: "São Paulo" } },
      ),
      say("Both clear."),
    ]);
    const { agent, cities } = remoteAgent(server, await (await placeOf()).open());
    const { chunks, output } = agent.streamText("weather?", { sessionId: "s" });
    const streamed = await collect(chunks);
    expect(await output).toMatchObject({ finishReason: "stop" });
    expect(cities).toEqual(["Bern", "São Paulo"]);
    expect(piecesOf(streamed)).toEqual(["Both clear."]);
    const requested = streamed.flatMap(({ modelChunk }) => modelChunk?.content ?? []);
    expect(requested.filter(({ toolRequest }) => toolRequest).length).toBeGreaterThan(4);
    expect(server.requests[1]?.messages).toEqual([
      SYSTEM,
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          toolCallOf("call-1", '{"city":"Bern"}'),
          toolCallOf("call-2", '{"city":"São Paulo"}'),
        ],
      },
      { role: "tool", tool_call_id: "call-1", content: '{"sky":"clear over Bern"}' },
      { role: "tool", tool_call_id: "call-2", content: '{"sky":"clear over São Paulo"}' },
    ]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  test("is sent the whole talk in each turn, rounds of tools included", async () => {
    const server = await startChatServer([
      say("one"),
      askForTools({ id: "call-1", name: "weather", input: { city: "Bern" } }),
      say("two"),
      say("three"),
    ]);
    const place = await placeOf();
    const first = remoteAgent(server, await place.open());
    await first.agent.runText("1", { sessionId: "s" });
    await first.agent.runText("2", { sessionId: "s" });
    const second = remoteAgent(server, await place.open());
    await second.agent.runText("3", { sessionId: "s" });
    expect(server.requests[3]?.messages).toEqual([
      SYSTEM,
      { role: "user", content: "1" },
      { role: "assistant", content: "one" },
      { role: "user", content: "2" },
      { role: "assistant", content: null, tool_calls: [toolCallOf("call-1", '{"city":"Bern"}')] },
      { role: "tool", tool_call_id: "call-1", content: '{"sky":"clear over Bern"}' },
      { role: "assistant", content: "two" },
      { role: "user", content: "3" },
    ]);
  });

  test.each([
    { what: "429", reply: refuse(429, "slow down"), status: "RESOURCE_EXHAUSTED" },
    { what: "500", reply: refuse(500, "broken"), status: "INTERNAL" },
    { what: "503", reply: refuse(503, "closed"), status: "UNAVAILABLE" },
    { what: "401", reply: refuse(401, "who?"), status: "UNAUTHENTICATED" },
    { what: "a broken stream", reply: breakAfter("Hel"), status: expect.any(String) },
  ])("that fails with $what fails the turn, and an empty input tries it again", async (bad) => {
    const server = await startChatServer([say("one"), bad.reply, say("two")]);
    const { agent } = remoteAgent(server, await (await placeOf()).open());
    await agent.runText("1", { sessionId: "s" });
    const failed = await agent.runText("2", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed", error: { status: bad.status } });
    expect(await agent.getSnapshot(failed.snapshotId!)).toMatchObject({ status: "failed" });
    const again = await agent.run({}, { sessionId: "s" });
    expect(again).toMatchObject({ finishReason: "stop", message: { content: [{ text: "two" }] } });
    expect(server.requests[2]?.messages).toEqual([
      SYSTEM,
      { role: "user", content: "1" },
      { role: "assistant", content: "one" },
      { role: "user", content: "2" },
    ]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages).toHaveLength(4);
  });

  test("that fails after a round of tools keeps the round: it is not run again", async () => {
    const server = await startChatServer([
      askForTools({ id: "call-1", name: "weather", input: { city: "Bern" } }),
      refuse(429, "slow down", { "retry-after": "1" }),
      say("clear"),
    ]);
    const { agent, cities } = remoteAgent(server, await (await placeOf()).open());
    expect(await agent.runText("weather?", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "RESOURCE_EXHAUSTED", message: expect.stringContaining("slow down") },
    });
    expect(await agent.run({}, { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(cities).toEqual(["Bern"]);
    expect(server.requests[2]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ]);
  });
});

test("without a store the client carries the talk to the next turn, and the model gets it whole", async () => {
  const server = await startChatServer([say("one"), refuse(500, "broken"), say("two")]);
  const { agent } = remoteAgent(server, undefined);
  const { state } = await agent.runText("1");
  const failed = await agent.runText("2", { state: state! });
  expect(failed).toMatchObject({ finishReason: "failed", error: { status: "INTERNAL" } });
  expect(await agent.run({}, { state: failed.state! })).toMatchObject({ finishReason: "stop" });
  expect(server.requests[2]?.messages.map(({ content }) => content)).toEqual([
    "Be brief.",
    "1",
    "one",
    "2",
  ]);
});

function toolCallOf(id: string, input: string): object {
  return { id, type: "function", function: { name: "weather", arguments: input } };
}
