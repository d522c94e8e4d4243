import type { Genkit } from "genkit";
import type { LocalAgent } from "turnkeep";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { type ScriptedModel, scriptedGenkit, systemOf } from "../scripted-model.ts";
import { promptFolder } from "./prompt-folder.ts";

const INPUT = {
  role: "coding",
  json: "soup",
  log: "wood",
  if: "maybe",
  people: [{ role: "cook" }, { role: "smith" }],
};

type Define = (
  ai: Genkit,
  template: string,
  input?: typeof INPUT,
) => Promise<LocalAgent> | LocalAgent;

const DEFINES: readonly (readonly [how: string, define: Define])[] = [
  [
    "defineAgent",
    (ai, system, input) =>
      defineAgent(ai, { name: "a", system, ...(input && { input: { default: input } }) }),
  ],
  [
    "definePromptAgent with a prompt defined in code",
    async (ai, system, input) => {
      ai.definePrompt({ name: "a", system });
      return await definePromptAgent(ai, { name: "a", ...(input && { input }) });
    },
  ],
  [
    "definePromptAgent with a prompt file",
    async (ai, _system, input) =>
      await definePromptAgent(ai, { name: "filed", ...(input && { input }) }),
  ],
];

describe.each(DEFINES)("a template given to %s", (_, define) => {
  const systemFor = async (template: string, input?: typeof INPUT): Promise<string> => {
    const { ai, model } = genkitWith(template);
    const agent = await define(ai, template, input);
    model.says("ok");
    expect(await agent.runText("hi")).toMatchObject({ finishReason: "stop" });
    return systemOf(model.lastRequest);
  };

  it("prints a variable that is named like a helper", async () => {
    expect(await systemFor("You are a {{role}} assistant.", INPUT)).toBe(
      "You are a coding assistant.",
    );
    expect(await systemFor("{{ role }} {{{json}}} {{~log~}} {{if}}", INPUT)).toBe(
      "coding soupwoodmaybe",
    );
  });

  it("prints the variable of the item inside of a loop", async () => {
    expect(await systemFor("{{#each people}}{{role}}, {{/each}}", INPUT)).toBe("cook, smith, ");
  });

  it("prints nothing for such a variable without a value", async () => {
    expect(await systemFor("You are a {{role}}{{json}} assistant.")).toBe("You are a  assistant.");
  });

  it("still calls the helpers that are given arguments", async () => {
    const template = '{{json people}} {{#ifEquals role "coding"}}yes{{else}}no{{/ifEquals}}';
    expect(await systemFor(template, INPUT)).toBe(`${JSON.stringify(INPUT.people)} yes`);
  });
});

// The file holds the same template, behind the marker that makes it the system's.
function genkitWith(template: string): { readonly ai: Genkit; readonly model: ScriptedModel } {
  const filed = `{{role "system"}}${template}{{history}}`;
  return scriptedGenkit({ promptDir: promptFolder({ filed }) });
}
