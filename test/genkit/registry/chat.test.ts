import { defineAgent } from "turnkeep/genkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { textsOf } from "../../agent/agents.ts";
import { collect, errorOf } from "../../agent/authoring/turns.ts";
import { scriptedGenkit, systemOf } from "../scripted-model.ts";
import { memory, talker } from "./talker.ts";

describe("a chat", () => {
  test.each([
    { what: "a store", store: memory },
    { what: "no store", store: () => undefined },
  ])("remembers where it is, with $what", async ({ store }) => {
    const { agent } = talker(store());
    const chat = agent.chat();
    expect(chat.sessionId).toBeUndefined();
    expect(await chat.messages()).toEqual([]);
    expect((await chat.send("a")).message?.content).toEqual([{ text: "A" }]);
    expect((await chat.send("b")).message?.content).toEqual([{ text: "B of A" }]);
    expect(chat.sessionId).toEqual(expect.any(String));
    expect(textsOf({ messages: await chat.messages() })).toEqual(["a", "A", "b", "B of A"]);
  });

  test("goes on with the session it names, and with another client's turns in it", async () => {
    const { agent } = talker(memory());
    const chat = agent.chat({ sessionId: "s" });
    await chat.send("a");
    await agent.runText("b", { sessionId: "s" });
    expect((await chat.send("c")).message?.content).toEqual([{ text: "C of B of A" }]);
  });

  test("streams a turn", async () => {
    const { agent } = talker(memory());
    const chat = agent.chat();
    const { chunks, output } = chat.sendStream("a");
    expect(await collect(chunks)).toContainEqual(
      expect.objectContaining({ turnEnd: expect.objectContaining({ finishReason: "stop" }) }),
    );
    const { snapshotId } = await output;
    expect(chat.snapshotId).toBe(snapshotId);
  });

  test("fills the prompt when it starts", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "guide", system: "{{city}}", store: memory() });
    onTestFinished(() => agent.close());
    const chat = agent.chat({ promptInput: { city: "Rome" } });
    model.says("1", "2");
    await chat.send("hi");
    await chat.send("hi");
    expect(model.requests.map(systemOf)).toEqual(["Rome", "Rome"]);
  });

  test("works in the background, and aborts that", async () => {
    const { agent, waits } = talker(memory());
    const chat = agent.chat({ sessionId: "s", onBusy: "queue" });
    expect(await chat.abort()).toEqual({});
    const run = await chat.detach("wait");
    await waits;
    expect(await chat.abort()).toMatchObject({ status: "aborted" });
    expect(await run.wait()).toMatchObject({ status: "aborted" });
    expect((await chat.send("a")).finishReason).toBe("stop");
  });
});

describe("loadChat", () => {
  test("goes on with a session that the store holds", async () => {
    const { agent } = talker(memory());
    const { snapshotId } = await agent.runText("a", { sessionId: "s" });
    const chat = await agent.loadChat({ sessionId: "s" });
    expect(chat).toMatchObject({ sessionId: "s", snapshotId });
    expect(textsOf({ messages: await chat.messages() })).toEqual(["a", "A"]);
    expect((await chat.send("b")).message?.content).toEqual([{ text: "B of A" }]);
  });

  test("goes on from a snapshot on a branch of its own", async () => {
    const { agent } = talker(memory());
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    await agent.runText("b", { sessionId: "s" });
    const chat = await agent.loadChat({ snapshotId });
    expect(chat.sessionId).toBe("s");
    await chat.send("c");
    expect((await chat.send("d")).message?.content).toEqual([{ text: "D of C of A" }]);
  });

  test("rejects when there is nothing to go on with", async () => {
    const { agent } = talker(memory());
    for (const lookup of [{ sessionId: "nobody" }, { snapshotId: "s.nothing" }]) {
      expect(await errorOf(() => agent.loadChat(lookup))).toMatchObject({ status: "NOT_FOUND" });
    }
  });
});
