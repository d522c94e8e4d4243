import type { Agent, AgentOutput } from "turnkeep";
import { genkitProtocol } from "turnkeep/client";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent, user } from "../agent/agents.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { served, turn } from "../http/serving.ts";
import { behindHttp } from "./remote.ts";

const HOLDERS: readonly (readonly [string, () => Promise<Agent>])[] = [
  ["in this process", async () => echoAgent({ store: new MemoryStore() })],
  ["without a store", async () => echoAgent()],
  ["behind HTTP", () => behindHttp(echoAgent({ store: new MemoryStore() }))],
  [
    "behind Genkit's protocol",
    () => behindHttp(echoAgent({ store: new MemoryStore() }), { protocol: genkitProtocol }),
  ],
];

describe.each(HOLDERS)("the output of an agent %s", (_, open) => {
  it("has the text of its message and the id of its session, whichever way it is asked for", async () => {
    const agent = await open();
    const connection = agent.connect();
    await connection.sendText("hello");
    for (const output of [
      await agent.run(user("hello")),
      await agent.runText("hello"),
      await agent.streamText("hello").output,
      await connection.output(),
    ]) {
      expect(output.text).toBe("HELLO");
      expect(output.sessionId).toMatch(/^[\w-]{20,}$/);
    }
  });

  it("does not carry the text along where it is copied or sent", async () => {
    const agent = await open();
    const output: AgentOutput = await agent.runText("hello");
    expect(Object.keys(output)).not.toContain("text");
    expect(JSON.parse(JSON.stringify(output))).toEqual({ ...output });
  });
});

it("joins all the text of a message, and is empty where there is none", async () => {
  const agent = agentOf({}, ({ session }, _, text) => {
    if (text === "parts") {
      const data = { data: { a: 1 } };
      session.addMessages({ role: "model", content: [{ text: "a" }, data, { text: "b" }] });
    }
    if (text === "fail") throw new Error("no");
  });
  expect((await agent.runText("parts")).text).toBe("ab");
  expect((await agent.runText("fail")).text).toBe("");
});

it("is there when a turn is asked for again, and when it was detached", async () => {
  const local = echoAgent({ store: new MemoryStore() });
  for (const agent of [local, await behindHttp(local)] as readonly Agent[]) {
    const { snapshotId, sessionId } = await agent.runText("hello");
    expect(await agent.getOutput(snapshotId!)).toMatchObject({ text: "HELLO", sessionId });
    const detached = await agent.run({ ...user("hello"), detach: true });
    expect(detached).toMatchObject({ text: "", finishReason: "detached" });
  }
});

it("names a session also where the run could not start", async () => {
  const local = echoAgent({ store: new MemoryStore() });
  for (const agent of [local, await behindHttp(local)] as readonly Agent[]) {
    const { sessionId, finishReason } = await agent.runText("hi", { snapshotId: "s.missing" });
    expect({ sessionId, finishReason }).toEqual({ sessionId: "s", finishReason: "failed" });
  }
});

it("is nothing that crosses the wire", async () => {
  const { ask } = await served([echoAgent({ store: new MemoryStore() })]);
  const { body } = await ask("/agents/echo", { body: turn("hello") });
  expect(body.result).not.toHaveProperty("text");
});
