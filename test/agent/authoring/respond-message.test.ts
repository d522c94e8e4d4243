import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { user } from "../agents.ts";
import { agentOf, errorOf } from "./turns.ts";

describe("respond.message", () => {
  it("streams a message and keeps it, in one call", async () => {
    const agent = agentOf({ store: new MemoryStore() }, ({ respond }, _, text) => {
      respond.message(`You said: ${text}`);
    });
    const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
    const said: unknown[] = [];
    for await (const { modelChunk } of chunks) if (modelChunk) said.push(modelChunk);
    const content = [{ text: "You said: hi" }];
    expect(said).toEqual([{ role: "model", content }]);
    expect((await output).message).toEqual({ role: "model", content });
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.messages).toEqual([user("hi").message, { role: "model", content }]);
  });

  it("takes whole messages of any role, and refuses what is none", async () => {
    const message = { role: "tool", content: [{ toolResponse: { name: "look" } }] } as const;
    const agent = agentOf({}, ({ respond }, _, text) => {
      respond.message(text === "good" ? message : ({ role: "nobody" } as never));
    });
    expect((await agent.runText("good")).state?.messages?.at(-1)).toEqual(message);
    const bad = await agent.runText("bad");
    expect((await errorOf(() => bad.orThrow())).status).toBe("INVALID_ARGUMENT");
  });
});

describe("the message of an output", () => {
  it("is never what the user said: an agent that adds none has none", async () => {
    const agent = defineCustomAgent(
      { name: "silent", store: new MemoryStore() },
      async ({ session, respond }) => {
        await session.run(() => {
          respond.text("streamed, and not kept");
          return { finishReason: "stop" };
        });
        return session.result();
      },
    );
    const output = await agent.runText("Hello");
    expect(output).toMatchObject({ finishReason: "stop", text: "" });
    expect(output.message).toBeUndefined();
    const later = await agent.getOutput(output.snapshotId!);
    expect(later.message).toBeUndefined();
  });
});
