import type { LocalAgent } from "turnkeep";
import { defineCustomAgent, type SubAgent } from "turnkeep/genkit";
import { expect, test } from "vitest";
import { collect } from "../plugins/remote-agent.ts";
import { closing, freshAi, lead, memory, textOf } from "./crew.ts";

const PAGE = { name: "page", parts: [{ text: "dig" }] };

test("what it makes goes into the asker's session, streamed, and by name into the answer", async () => {
  const { outer, asked } = crew((agent) => agent);
  const { chunks, output } = outer.streamText("dig", { sessionId: "s" });
  const streamed = await collect(chunks);
  expect(textOf(await output)).toBe('told {"answer":"written","artifacts":["page"]}');
  expect((await output).artifacts).toEqual([PAGE]);
  expect(streamed.flatMap(({ artifact }) => artifact ?? [])).toEqual([PAGE]);
  expect((await outer.getLatestSnapshot("s")).state?.artifacts).toEqual([PAGE]);
  expect((await asked.getLatestSnapshot("s:writer")).state?.artifacts).toEqual([PAGE]);
});

test("what it makes stays its own when told so, and is named all the same", async () => {
  const { outer, asked } = crew((agent) => ({ agent, artifacts: "separate" }));
  const output = await outer.runText("dig", { sessionId: "s" });
  expect(textOf(output)).toBe('told {"answer":"written","artifacts":["page"]}');
  expect(output.artifacts).toBeUndefined();
  expect((await outer.getLatestSnapshot("s")).state?.artifacts ?? []).toEqual([]);
  expect((await asked.getLatestSnapshot("s:writer")).state?.artifacts).toEqual([PAGE]);
});

test("what it makes again replaces what it made", async () => {
  const { outer } = crew((agent) => agent);
  await outer.runText("dig", { sessionId: "s" });
  const { artifacts } = await outer.runText("fill", { sessionId: "s" });
  expect(artifacts).toEqual([{ name: "page", parts: [{ text: "fill" }] }]);
});

function crew(entry: (agent: LocalAgent) => SubAgent): {
  readonly outer: LocalAgent;
  readonly asked: LocalAgent;
} {
  const ai = freshAi();
  const asked = closing(
    defineCustomAgent(ai, { name: "writer", store: memory() }, async ({ session }) => {
      await session.run(({ message }) => {
        session.addArtifacts({ name: "page", parts: message?.content ?? [] });
        session.addMessages({ role: "model", content: [{ text: "written" }] });
      });
      return session.result();
    }),
  );
  return { outer: lead({ ai, store: memory(), agents: [entry(asked)], tool: "writer" }), asked };
}
