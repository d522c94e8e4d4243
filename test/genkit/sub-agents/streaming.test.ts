import { remoteAgent as genkitRemoteAgent } from "genkit/beta/client";
import type { AgentStreamChunk, Json, LocalAgent } from "turnkeep";
import { remoteAgent } from "turnkeep/client";
import { defineCustomAgent, type SubAgentOptions } from "turnkeep/genkit";
import { serve } from "turnkeep/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { chunksOf } from "../../agent/authoring/turns.ts";
import { closing, freshAi, lead, memory, textOf } from "./crew.ts";

/** An agent that streams a status and two words, and one that asks it. */
function crew(
  options: Partial<SubAgentOptions> = {},
  outerOptions: Partial<Parameters<typeof lead>[0]> = {},
): { readonly outer: LocalAgent; readonly ai: ReturnType<typeof freshAi> } {
  const ai = freshAi();
  const asked = closing(
    defineCustomAgent(ai, { name: "helper", store: memory() }, async ({ session, respond }) => {
      await session.run(() => {
        respond.status("digging");
        respond.text("Deep ");
        respond.text("hole.");
        session.addMessages({ role: "model", content: [{ text: "Deep hole." }] });
      });
      return session.result();
    }),
  );
  const agents = [{ agent: asked, ...options }];
  return { ai, outer: lead({ ai, store: memory(), agents, ...outerOptions }) };
}

function subAgentChunks(chunks: readonly AgentStreamChunk[]): readonly (Json | undefined)[] {
  return chunks.flatMap(({ subAgent }) => (subAgent ? [subAgent as unknown as Json] : []));
}

const STREAMED = [
  { name: "helper", chunk: { status: "digging" } },
  { name: "helper", chunk: { modelChunk: { content: [{ text: "Deep " }] } } },
  { name: "helper", chunk: { modelChunk: { content: [{ text: "hole." }] } } },
];

describe("what an asked agent streams", () => {
  test("reaches the stream of the one who asks, under its name", async () => {
    const { outer } = crew();
    const seen = await chunksOf(outer, "dig");
    expect(subAgentChunks(seen)).toEqual(STREAMED);
    // None of it is taken for the asker's own words.
    const words = seen.flatMap(
      ({ modelChunk }) => modelChunk?.content.map(({ text }) => text) ?? [],
    );
    expect(words).not.toContain("Deep ");
    expect(seen.every(({ status }) => status === undefined)).toBe(true);
  });

  test("reaches the top through everyone in between", async () => {
    const { ai, outer } = crew();
    const top = lead({ ai, store: memory(), agents: [outer], name: "top", tool: "lead" });
    const seen = subAgentChunks(await chunksOf(top, "dig"));
    expect(seen).toEqual(
      expect.arrayContaining(STREAMED.map((subAgent) => ({ name: "lead", chunk: { subAgent } }))),
    );
  });

  test("stays its own when told so", async () => {
    const { outer } = crew({ stream: false });
    expect(subAgentChunks(await chunksOf(outer, "dig"))).toEqual([]);
  });

  test("goes through the transform of the one who asks", async () => {
    const ai = freshAi();
    const asked = closing(
      defineCustomAgent(ai, { name: "helper", store: memory() }, async ({ session, respond }) => {
        await session.run(() => {
          respond.text("secret");
          respond.status("public");
        });
        return session.result();
      }),
    );
    const outer = closing(
      defineCustomAgent(
        ai,
        {
          name: "outer",
          store: memory(),
          transformStream: (chunk) => (chunk.modelChunk ? undefined : chunk),
        },
        async ({ session, respond }) => {
          await session.run(async () => {
            for await (const chunk of asked.streamText("go").chunks) {
              respond.chunk({ subAgent: { name: "helper", chunk } });
            }
          });
          return session.result();
        },
      ),
    );
    const shown = JSON.stringify(await chunksOf(outer, "go"));
    expect(shown).not.toContain("secret");
    expect(shown).toContain("public");
  });

  test("does not stop it when the asker has streamed as much as it may", async () => {
    const { outer } = crew({}, { limits: { chunksPerTurn: 3 } });
    const output = await outer.runText("dig");
    expect(textOf(output)).toBe('told {"answer":"Deep hole."}');
  });

  test("reaches clients over HTTP, and does not trouble those that do not know it", async () => {
    const { outer } = crew();
    const server = await serve([outer], { auth: "public" });
    onTestFinished(() => server.close());
    const url = `${server.url}/agents/lead`;
    const { chunks, output } = remoteAgent({ url }).streamText("dig");
    const seen: AgentStreamChunk[] = [];
    for await (const chunk of chunks) seen.push(chunk);
    expect(subAgentChunks(seen)).toEqual(STREAMED);
    expect((await output).finishReason).toBe("stop");
    const turn = genkitRemoteAgent({ url }).chat().sendStream("dig");
    let text = "";
    for await (const chunk of turn.stream) text += chunk.text;
    expect(text).not.toContain("Deep hole.");
    expect((await turn.response).text).toBe('told {"answer":"Deep hole."}');
  });
});
