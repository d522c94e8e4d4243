import { toolCall } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { chunksOf, collect } from "../../agent/authoring/turns.ts";
import { workshop } from "./workshop.ts";

describe.each(STORES)("a tool of a prompt agent over %s", (_, openStore) => {
  it("streams statuses, text and artifacts while it works", async () => {
    const { agent, model } = workshop({
      store: await openStore(),
      tools: {
        dig: (_input, options) => {
          const { respond } = toolCall<null, string>(options)!;
          respond.status("digging");
          respond.text("(a stone) ");
          respond.artifact({ name: "map", parts: [{ text: "x" }] });
          respond.status("done");
          return "gold";
        },
      },
    });
    model.asksFor({ name: "dig" }).says("Gold!");
    const seen = await chunksOf(agent, "dig", { sessionId: "s" });
    expect(seen.filter(({ modelChunk }) => modelChunk?.role === undefined)).toEqual([
      { status: "digging" },
      { modelChunk: { content: [{ text: "(a stone) " }] } },
      { artifact: { name: "map", parts: [{ text: "x" }] } },
      { status: "done" },
    ]);
    expect((await agent.getLatestSnapshot("s")).state?.artifacts).toHaveLength(1);
  });
});

describe("a tool of a prompt agent", () => {
  it("streams what it sends by Genkit's own sendChunk, as statuses", async () => {
    const { agent, model } = workshop({
      tools: {
        dig: (_input, options) => {
          const { sendChunk } = options as unknown as { sendChunk: (chunk: unknown) => void };
          sendChunk("digging");
          sendChunk({ depth: 3 });
          return "gold";
        },
      },
    });
    model.asksFor({ name: "dig" }).says("Gold!");
    const { chunks } = agent.streamText("dig");
    const statuses = (await collect(chunks)).filter((chunk) => "status" in chunk);
    expect(statuses).toEqual([{ status: "digging" }, { status: { depth: 3 } }]);
  });
});
