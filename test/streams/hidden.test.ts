import { type AgentStreamChunk, type LocalAgent, TurnkeepError } from "turnkeep";
import { describe, expect, test } from "vitest";
import { agentOf } from "../agent/authoring/turns.ts";
import { collect } from "../agent/life/waiting.ts";
import { testStoreOn } from "../support/places/test-places.ts";
import { PATH_NAMES, PATHS } from "./paths.ts";

const SECRET = "secret-4711";

// Shows the first word and fails at the second.
const failing = {
  "transformStream throws": {
    transformStream: (chunk: AgentStreamChunk) => {
      if (JSON.stringify(chunk).includes("two")) throw new Error(SECRET);
      return chunk;
    },
  },
  "transformState throws": {
    transformState: () => {
      throw new TurnkeepError("PERMISSION_DENIED", SECRET);
    },
  },
} as const;

describe.each(Object.entries(failing))("when %s", (_, transforms) => {
  async function agent(): Promise<LocalAgent> {
    const store = await testStoreOn("memory");
    return agentOf({ store, ...transforms }, ({ session, respond }) => {
      respond.text("one");
      session.updateCustom(() => ({ two: 2 }));
      respond.text("two");
      respond.text("three");
      session.addMessages({ role: "model", content: [{ text: "three" }] });
      return { finishReason: "stop" };
    });
  }

  test("a connection shows nothing that comes after, and its output fails", async () => {
    const connection = (await agent()).connect({ sessionId: "s" });
    await connection.sendText("go");
    connection.close();
    const seen: AgentStreamChunk[] = [];
    const reading = async (): Promise<void> => {
      for await (const chunk of connection.receive()) seen.push(chunk);
    };
    await expect(reading()).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
    expect(seen).toEqual([{ modelChunk: { content: [{ text: "one" }] } }]);
    // Not even to those who ask again.
    await reading();
    await reading();
    expect(seen).toHaveLength(1);
    await expect(connection.output()).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
    await expect(connection.output()).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
  });

  test.each(PATH_NAMES)("a stream read %s breaks off with an error and no output", async (path) => {
    const { heard, over } = PATHS[path](await agent(), "go", { sessionId: "s" });
    await over;
    expect(heard.error).toBeDefined();
    expect(heard.output).toBeUndefined();
    expect(JSON.stringify([heard.chunks, String(heard.error)])).not.toMatch(/three|secret/);
  });

  test("whoever attaches is shown nothing that comes after", async () => {
    const watched = await agent();
    const connection = watched.connect({ sessionId: "s", unredacted: true });
    await connection.sendText("go");
    await connection.output();
    const attached = watched.attach(connection.runId);
    await expect(collect(attached)).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
    expect(await collect(attached)).toEqual([]);
  });
});
