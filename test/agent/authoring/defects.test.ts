import { type AgentStreamChunk, defineCustomAgent, type TurnContext } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent } from "../agents.ts";

describe("never again", () => {
  it("a chunk that vanishes because a transform threw, while the turn succeeds (W19)", async () => {
    const agent = echoAgent({
      store: new MemoryStore(),
      transformStream: () => {
        throw new Error("cannot redact");
      },
    });
    const { chunks, output } = agent.streamText("secret");
    const seen: AgentStreamChunk[] = [];
    const reading = (async () => {
      for await (const chunk of chunks) seen.push(chunk);
    })();
    await expect(reading).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
    expect(seen).toEqual([]);
    await expect(output).rejects.toMatchObject({ reason: "REDACTION_FAILED" });
  });

  it("a patch that our own client refuses, for keys like constructor (W20)", async () => {
    const agent = defineCustomAgent<Record<string, number>>(
      { name: "keys", store: new MemoryStore() },
      async ({ session }) => {
        await session.run(() => {
          session.setCustom({ toString: 1, plain: 1 });
          session.setCustom({ toString: 2, plain: 1, valueOf: 3 });
          session.setCustom({ hasOwnProperty: 4 });
        });
      },
    );
    const connection = agent.connect();
    await connection.sendText("go");
    for await (const chunk of connection.receive()) if (chunk.turnEnd) break;
    expect(connection.custom()).toEqual({ hasOwnProperty: 4 });
    await connection.output();
  });

  it("state that changes because somebody held on to it (W21)", async () => {
    const held = { list: [1] };
    const agent = defineCustomAgent<{ list: number[] }>({ name: "held" }, async ({ session }) => {
      await session.run(() => {
        session.setCustom(held);
        held.list.push(2);
        expect(() => session.custom()?.list.push(3)).toThrow(TypeError);
        expect(() => (session.artifacts() as unknown[]).push({})).toThrow(TypeError);
      });
    });
    expect((await agent.runText("go")).state?.custom).toEqual({ list: [1] });
  });

  it("a snapshot id for a turn of which nothing is kept (W22)", async () => {
    const turns: TurnContext[] = [];
    const agent = defineCustomAgent({ name: "carried" }, async ({ session }) => {
      await session.run((_, turn) => void turns.push(turn));
    });
    const output = await agent.runText("go");
    expect(turns[0]).not.toHaveProperty("snapshotId");
    expect(output).not.toHaveProperty("snapshotId");
  });
});
