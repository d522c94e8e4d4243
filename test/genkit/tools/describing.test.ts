import { genkit, z } from "genkit";
import { defineAgent } from "turnkeep/genkit";
import { expect, test } from "vitest";

test("an agent tells of its tools and of the agents it may ask", async () => {
  const ai = genkit({});
  const pay = ai.defineTool(
    {
      name: "pay",
      description: "Pays.",
      inputSchema: z.object({ sum: z.number() }),
      outputSchema: z.boolean(),
    },
    async () => true,
  );
  ai.defineTool({ name: "look", description: "Looks." }, async () => "seen");
  const helper = defineAgent(ai, { name: "helper", model: "none", description: "Helps." });
  const agent = defineAgent(ai, {
    name: "asker",
    model: "none",
    tools: [pay, "look", "unknown"],
    agents: [helper],
  });
  const tools = await agent.inspector.describeTools();
  expect(tools.map(({ name }) => name)).toEqual(["pay", "look", "helper"]);
  expect(tools[0]).toMatchObject({
    description: "Pays.",
    inputSchema: { type: "object", properties: { sum: { type: "number" } } },
    outputSchema: { type: "boolean" },
  });
  expect(await helper.inspector.describeTools()).toEqual([]);
});
