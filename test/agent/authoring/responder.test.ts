import { describe, expect, test } from "vitest";
import { testStoreOn } from "../../support/places/test-places.ts";
import { agentOf, chunksOf, errorOf } from "./turns.ts";

describe("respond.chunk", () => {
  test.each([
    ["turnEnd", { turnEnd: { finishReason: "stop" } }, "when its handler returns"],
    ["customPatch", { customPatch: [] }, "session.updateCustom"],
  ] as const)("refuses a chunk with %s and names what to use instead", async (name, chunk, fix) => {
    const agent = agentOf({ store: await testStoreOn("memory") }, async ({ respond }) => {
      const error = await errorOf(() => respond.chunk(chunk as object));
      expect(error).toMatchObject({ status: "INVALID_ARGUMENT", details: { field: name } });
      expect(error.message).toContain(fix);
      return { finishReason: "stop" };
    });
    expect(await agent.runText("go", { sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    expect(await chunksOf(agent, "go", { sessionId: "s" })).toEqual([]);
  });

  test("sends any other chunk as it is", async () => {
    const chunk = { modelChunk: { content: [{ text: "hm" }] }, status: { step: 1 } };
    const agent = agentOf({ store: await testStoreOn("memory") }, ({ respond }) => {
      respond.chunk(chunk);
    });
    expect(await chunksOf(agent, "go", { sessionId: "s" })).toEqual([chunk]);
  });
});
