import { type Agent, TurnkeepError } from "turnkeep";
import { genkitProtocol } from "turnkeep/client";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { agentOf, errorOf } from "../agent/authoring/turns.ts";
import { untilAborted } from "../agent/life/waiting.ts";
import { scriptedGenkit } from "../genkit/scripted-model.ts";
import { behindHttp } from "./remote.ts";

class OutOfStock extends Error {}

const soldOut = new OutOfStock("No more tea.");

function shop(isKept: boolean) {
  const store = isKept ? { store: new MemoryStore() } : {};
  return agentOf(store, async ({ session, respond }, { signal }, text) => {
    if (text === "tea") throw soldOut;
    if (text === "coffee") {
      throw new TurnkeepError("NOT_FOUND", "No coffee.", {
        reason: "LIMIT_EXCEEDED",
        details: { cups: 0 },
      });
    }
    if (text === "wait") {
      respond.text("One moment.");
      await untilAborted(signal);
    }
    session.addMessages({ role: "model", content: [{ text: "Here you are." }] });
  });
}

const HOLDERS: readonly (readonly [string, () => Promise<Agent>])[] = [
  ["in this process", async () => shop(true)],
  ["without a store", async () => shop(false)],
  ["behind HTTP", () => behindHttp(shop(true))],
  ["behind Genkit's protocol", () => behindHttp(shop(true), { protocol: genkitProtocol })],
];

describe.each(HOLDERS)("the output of an agent %s", (_, open) => {
  it("is returned by orThrow when the turn did well", async () => {
    const output = await (await open()).runText("cake");
    expect(output.orThrow()).toBe(output);
    expect(output.orThrow().text).toBe("Here you are.");
  });

  it("is thrown by orThrow when the turn failed: with status, reason, message and details", async () => {
    const output = await (await open()).runText("coffee");
    expect(output.finishReason).toBe("failed");
    const error = await errorOf(() => output.orThrow());
    expect(error).toMatchObject({
      status: "NOT_FOUND",
      reason: "LIMIT_EXCEEDED",
      message: "No coffee.",
      details: { cups: 0 },
    });
  });

  it("is thrown by orThrow when the turn was aborted", async () => {
    const agent = await open();
    const stop = new AbortController();
    const { chunks, output } = agent.streamText("wait", { signal: stop.signal });
    for await (const { modelChunk } of chunks) if (modelChunk) stop.abort();
    const aborted = await output;
    expect(aborted.finishReason).toBe("aborted");
    const error = await errorOf(() => aborted.orThrow());
    expect(error).toMatchObject({ status: "CANCELLED", reason: "RUN_ABORTED" });
  });

  it("has nothing of this among its members, and sends none of it", async () => {
    const output = await (await open()).runText("tea");
    expect(Object.keys(output)).not.toEqual(expect.arrayContaining(["cause", "orThrow"]));
    expect(JSON.parse(JSON.stringify(output))).toEqual({ ...output });
  });
});

it("knows in this process what was thrown, and passes it on as the cause", async () => {
  for (const isKept of [true, false]) {
    const output = await shop(isKept).runText("tea");
    expect(output.error).toEqual({ status: "INTERNAL", message: "No more tea." });
    expect(output.cause).toBe(soldOut);
    const error = await errorOf(() => output.orThrow());
    expect(error.cause).toBe(soldOut);
  }
});

it("knows behind HTTP nothing of what was thrown but that it was", async () => {
  const output = await (await behindHttp(shop(true))).runText("tea");
  expect(output.cause).toBeUndefined();
  const error = await errorOf(() => output.orThrow());
  expect(error.message).not.toContain("tea");
});

it("knows what a model threw", async () => {
  const { ai, model } = scriptedGenkit();
  const down = new Error("The model is down.");
  model.fails(down);
  const output = await defineAgent(ai, { name: "a", system: "Hi." }).runText("hi");
  const error = await errorOf(() => output.orThrow());
  expect(error.message).toBe("The model is down.");
  expect(error.cause).toBe(down);
});
