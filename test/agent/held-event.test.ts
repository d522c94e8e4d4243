import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { chunkEvent, HeldEvent } from "../../src/ledger/index.ts";
import { chunkJsonOf, HeldUpdate } from "../../src/agent/held-update.ts";

const CHUNKS = [
  { modelChunk: { content: [{ text: 'He said: "}" – 🌙\n\u2028' }] } },
  { customPatch: [{ op: "replace", path: "", value: { type: "chunk", chunk: {} } }] },
  { status: null },
  {},
] as const;

describe("an event that is held as JSON", () => {
  it.each(CHUNKS)("says the chunk it was made of: %j", (chunk) => {
    const held = new HeldEvent(3, chunkEvent(JSON.stringify(chunk)));
    expect(held.event).toEqual({ type: "chunk", chunk });
    expect(held.chunkJson).toBe(JSON.stringify(chunk));
    const update = new HeldUpdate(3, held.chunkJson ?? "", "run.3");
    expect(update.chunk).toEqual(chunk);
    expect(chunkJsonOf(update)).toBe(JSON.stringify(chunk));
    expect(chunkJsonOf({ seq: 3, type: "chunk", chunk: update.chunk })).toBe(JSON.stringify(chunk));
  });

  it("has no chunk when it is about something else", () => {
    const moved = { type: "moved", from: "a", to: null } as const;
    const held = new HeldEvent(1, JSON.stringify(moved));
    expect(held.event).toEqual(moved);
    expect(held.chunkJson).toBeUndefined();
    expect(chunkJsonOf({ seq: 1, type: "moved" })).toBeUndefined();
  });
});

describe("text that is no text", () => {
  it.each([undefined, null, 5])("leaves a log that can be read: %j", async (said) => {
    const agent = defineCustomAgent(
      { name: "loose", store: new MemoryStore() },
      async ({ session, respond }) => {
        await session.run(() => respond.text(said as never));
      },
    );
    const { chunks, output } = agent.streamText("hi");
    const texts: unknown[] = [];
    for await (const { modelChunk } of chunks) {
      if (modelChunk) texts.push(modelChunk.content[0]?.text);
    }
    expect(await output).not.toHaveProperty("error");
    expect(texts).toEqual([String(said)]);
    await agent.close();
  });
});
