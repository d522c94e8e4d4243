import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import type { JsonObject } from "turnkeep/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { TEST_PLACES, testPlace, testStoreOn } from "../../support/places/test-places.ts";
import { user } from "../agents.ts";

function usingAgent(store: SessionStore, usage: unknown): LocalAgent {
  const agent = defineCustomAgent({ name: "using", store }, async ({ session }) => {
    await session.run(() => ({ finishReason: "stop", usage: usage as JsonObject }));
  });
  onTestFinished(() => agent.close());
  return agent;
}

/** An object with this many levels. */
function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { in: value };
  return value;
}

function cycle(): JsonObject {
  const value: { self?: unknown } = {};
  value.self = value;
  return value as JsonObject;
}

describe.each(TEST_PLACES)("the usage of a turn over %s", (name) => {
  const USAGE = { inputTokens: 3, by: { model: "m" } };

  test("is kept with the snapshot of a run, a connection and a detached run", async () => {
    const agent = usingAgent(await testStoreOn(name), USAGE);
    const ran = await agent.runText("a", { sessionId: "run" });
    const connection = agent.connect({ sessionId: "connection" });
    await connection.sendText("a");
    const connected = await connection.output();
    const detached = await agent.detach(user("a"), { sessionId: "detached" });
    await detached.wait();
    for (const { snapshotId = "" } of [ran, connected, detached])
      expect(await agent.getSnapshot(snapshotId)).toMatchObject({ usage: USAGE });
  });

  test("is read back with as many levels as are taken", async () => {
    const place = await testPlace(name);
    const deepest = nested(201);
    const { snapshotId = "" } = await usingAgent(await place.open(), deepest).runText("a", {
      sessionId: "s",
    });
    const other = usingAgent(await place.open(), {});
    expect((await other.getSnapshot(snapshotId)).usage).toEqual(deepest);
    expect(await other.runText("b", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
  });

  test.each([
    ["201 levels below it", nested(202)],
    ["10,000 levels", nested(10_000)],
    ["a cycle", cycle()],
    ["a BigInt", { tokens: 5n }],
    ["NaN", { tokens: Number.NaN }],
    ["a Map", { tokens: new Map() }],
    ["no object", 5],
    ["a list", [5]],
  ])("with %s fails its turn with INVALID_ARGUMENT, and the session goes on", async (_, usage) => {
    const place = await testPlace(name);
    const agent = usingAgent(await place.open(), usage);
    expect(await agent.runText("a", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: { status: "INVALID_ARGUMENT", message: expect.stringContaining("usage") },
    });
    const other = usingAgent(await place.open(), USAGE);
    expect(await other.listSnapshots("s")).toMatchObject([{ status: "failed" }]);
    expect(await other.runText("b", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
  });
});
