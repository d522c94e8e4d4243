import { z } from "genkit";
import { defineAgent, definePromptAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../agent/authoring/turns.ts";
import { scriptedGenkit, systemOf } from "../scripted-model.ts";
import { promptFolder } from "./prompt-folder.ts";

const BROKEN = "You know {{#if city}.";

describe("definePromptAgent renders the prompt once, and refuses", () => {
  it("a broken template in code or in a file", async () => {
    const { ai } = scriptedGenkit({ promptDir: promptFolder({ filed: BROKEN }) });
    ai.definePrompt({ name: "coded", system: BROKEN });
    for (const name of ["coded", "filed"]) {
      const error = await errorOf(() => definePromptAgent(ai, { name }));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(new RegExp(`^The prompt.*${name}.*: Parse error on line 1`));
    }
  });

  it.each([
    ["a partial that is not there", "{{>nothing}}", /The partial nothing could not be found/],
    ["a helper that is not there", "{{nothing 1}}", /unknown helper nothing/],
    ["a system text that is several messages", 'A{{role "user"}}B', /only one message/],
    [
      "a marker that is left in the text",
      "Hi {{role 5}} there",
      /the marker "<<<dotprompt:role:5>>> there"/,
    ],
  ])("%s, and leaves the name free", async (_, system, message) => {
    const { ai } = scriptedGenkit();
    ai.definePrompt({ name: "bad", system });
    ai.definePrompt({ name: "good", system: "Hi." });
    const error = await errorOf(() => definePromptAgent(ai, { name: "a", prompt: "bad" }));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(/^The prompt of agent 'a' cannot be rendered: /);
    expect(error.message).toMatch(message);
    await definePromptAgent(ai, { name: "a", prompt: "good" });
  });

  it("an input that the prompt cannot be rendered with", async () => {
    const { ai } = scriptedGenkit();
    ai.defineHelper("upper", (text: string) => text.toUpperCase());
    ai.definePrompt({ name: "loud", system: "{{upper city}}" });
    const error = await errorOf(() =>
      definePromptAgent(ai, { name: "loud", input: { town: "Rome" } }),
    );
    expect(error.message).toMatch(/^The prompt of agent 'loud' cannot be rendered: /);
    await definePromptAgent(ai, { name: "loud", input: { city: "Rome" } });
  });

  it("a prompt whose function fails, unless it is told not to try", async () => {
    const { ai, model } = scriptedGenkit();
    const context = { auth: { name: "Ann" } };
    ai.definePrompt({
      name: "greeter",
      system: async (_input, { context: { auth } }) => `Greet ${(auth as { name: string }).name}.`,
    });
    const error = await errorOf(() => definePromptAgent(ai, { name: "greeter" }));
    expect(error).toMatchObject({ status: "INVALID_ARGUMENT" });
    const agent = await definePromptAgent(ai, { name: "greeter", checkPrompt: false });
    model.says("ok");
    await agent.runText("hi", { context });
    expect(systemOf(model.lastRequest)).toBe("Greet Ann.");
  });
});

describe("a prompt that needs an input which the agent does not give", () => {
  it("is for sessions to fill: it is defined, and a session that fills it works", async () => {
    const { ai, model } = scriptedGenkit();
    ai.defineHelper("upper", (text: string) => text.toUpperCase());
    ai.definePrompt({
      name: "guide",
      input: { schema: z.object({ city: z.string() }) },
      system: "You know {{upper city}}.",
    });
    const agent = await definePromptAgent(ai, { name: "guide" });
    model.says("ok");
    await agent.runText("hi", { promptInput: { city: "Rome" } });
    expect(systemOf(model.lastRequest)).toBe("You know ROME.");
  });

  it("is refused all the same when its template is broken", async () => {
    const file = `---\ninput:\n  schema:\n    city: string\n---\n${BROKEN}`;
    const { ai } = scriptedGenkit({ promptDir: promptFolder({ filed: file }) });
    const error = await errorOf(() => definePromptAgent(ai, { name: "filed" }));
    expect(error.message).toMatch(/^The prompt 'filed' is not a valid template: Parse error/);
  });
});

describe("defineAgent", () => {
  it.each(["system", "prompt", "messages"])(
    "refuses a broken template at once: %s",
    async (part) => {
      const { ai } = scriptedGenkit();
      const error = await errorOf(() => defineAgent(ai, { name: "a", [part]: BROKEN }));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toMatch(
        new RegExp(`^'${part}' of agent 'a' is not a valid template: Parse error on line 1`),
      );
      defineAgent(ai, { name: "a", system: "Hi." });
    },
  );

  it("shows by ready() whether its prompt can be rendered, and fails the first turn if not", async () => {
    const { ai, model } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", system: "Hi. {{>footer}}" });
    const error = await errorOf(() => agent.ready());
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toContain("The partial footer could not be found");
    expect(await agent.runText("hi")).toMatchObject({
      finishReason: "failed",
      error: { message: expect.stringContaining("The partial footer could not be found") },
    });
    // What is missing may still come.
    ai.definePartial("footer", "Bye.");
    await agent.ready();
    model.says("ok");
    await agent.runText("hi");
    expect(systemOf(model.lastRequest)).toBe("Hi. Bye.");
  });

  it("calls no function of the prompt before there is a caller", async () => {
    const { ai } = scriptedGenkit();
    const refuse = async (): Promise<never> => {
      throw new Error("called");
    };
    const agent = defineAgent(ai, { name: "a", system: refuse, prompt: refuse, docs: refuse });
    await agent.ready();
  });

  it("is ready when its sessions have to bring the input", async () => {
    const { ai } = scriptedGenkit();
    ai.defineHelper("upper", (text: string) => text.toUpperCase());
    const input = { schema: z.object({ city: z.string() }) };
    await defineAgent(ai, { name: "a", input, system: "{{upper city}}" }).ready();
  });
});
