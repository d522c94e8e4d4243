import type { Genkit } from "genkit";
import { defineCustomAgent as definePlainAgent } from "turnkeep";
import { defineAgent, defineCustomAgent, definePromptAgent, toolCall } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../agent/authoring/turns.ts";
import { scriptedGenkit } from "../scripted-model.ts";

type Define = (ai: Genkit, options: never) => unknown;

const DEFINES: readonly (readonly [name: string, define: Define])[] = [
  ["defineAgent", (ai, options) => defineAgent(ai, options)],
  [
    "definePromptAgent",
    (ai, options: object) => definePromptAgent(ai, { prompt: "p", ...options } as never),
  ],
  ["defineCustomAgent", (ai, options) => defineCustomAgent(ai, options, () => {})],
];

const BAD: readonly (readonly [name: string, options: unknown, message: RegExp])[] = [
  ["no name", {}, /^An agent needs a name that is not blank\.$/],
  ["an empty name", { name: "" }, /^An agent needs a name/],
  ["a blank name", { name: " " }, /^An agent needs a name/],
  ["a name that is no text", { name: 5 }, /^An agent needs a name/],
  ["a name with a slash", { name: "my/agent" }, /^'my\/agent' cannot be an agent's name/],
  [
    "a store and a client that carries the state",
    { name: "a", store: new MemoryStore(), clientState: { secret: "x".repeat(32) } },
    /^Agent 'a' has a store/,
  ],
  [
    "an unknown option, naming the nearest",
    { name: "a", snapshotwhen: "never" },
    /^Unknown option `snapshotwhen`\. Did you mean `snapshotWhen`\?$/,
  ],
  ["an unknown snapshot policy", { name: "a", snapshotWhen: "sometimes" }, /^Unknown snapshot/],
  ["no options", undefined, /^An agent needs a name/],
  ["options that are none", "a", /^An agent needs a name/],
];

describe.each(DEFINES)("%s", (_, define) => {
  it.each(BAD)("refuses %s, and no agent is left of it", async (_name, options, message) => {
    const { ai } = scriptedGenkit();
    ai.definePrompt({ name: "p", system: "Hi." });
    const error = await errorOf(() => define(ai, options as never));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(message);
    const actions = Object.keys(await ai.registry.listActions());
    expect(actions.filter((key) => key.startsWith("/agent"))).toEqual([]);
  });

  it("refuses a name that is taken, by whichever of them, on the same Genkit only", async () => {
    for (const [, other] of DEFINES) {
      const { ai } = scriptedGenkit();
      ai.definePrompt({ name: "p", system: "Hi." });
      await other(ai, { name: "same" } as never);
      const error = await errorOf(() => define(ai, { name: "same" } as never));
      expect(error).toMatchObject({
        status: "ALREADY_EXISTS",
        message: "There is an agent named 'same' already. Close it first, or pass replace: true.",
      });
    }
    const elsewhere = scriptedGenkit().ai;
    elsewhere.definePrompt({ name: "p", system: "Hi." });
    await define(elsewhere, { name: "same" } as never);
    definePlainAgent({ name: "same" }, () => {});
  });

  it("takes a name whose first definition failed", async () => {
    const { ai } = scriptedGenkit();
    ai.definePrompt({ name: "p", system: "Hi." });
    const store = new MemoryStore();
    const conflict = { name: "a", store, clientState: { secret: "x".repeat(32) } };
    await errorOf(() => define(ai, conflict as never));
    await define(ai, { name: "a" } as never);
  });

  it("refuses what is no Genkit", async () => {
    for (const ai of [undefined, null, {}, "genkit"]) {
      const error = await errorOf(() => define(ai as never, { name: "a" } as never));
      expect(error.status).toBe("INVALID_ARGUMENT");
      expect(error.message).toContain("genkit()");
    }
  });
});

describe("defineAgent", () => {
  const options: readonly (readonly [name: string, options: object, message: RegExp])[] = [
    ["messages that are none", { messages: [{ role: "robot", content: [] }] }, /role must be/],
    ["messages without content", { messages: [{ role: "user" }] }, /content/],
    ["messages that hold functions", { messages: [{ role: "user", content: [() => "x"] }] }, /./],
  ];

  it.each(options)("refuses %s", async (_name, given, message) => {
    const { ai } = scriptedGenkit();
    const error = await errorOf(() => defineAgent(ai, { name: "a", ...given }));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(message);
    defineAgent(ai, { name: "a", system: "Hi." });
  });

  it("tells when there is no model, in the turn that needs one", async () => {
    const { ai } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", model: "nobody", system: "Hi." });
    expect(await agent.runText("hi")).toMatchObject({
      finishReason: "failed",
      error: { status: "NOT_FOUND", message: expect.stringContaining("nobody") },
    });
  });

  it("tells when there is no such tool, in the turn that needs it", async () => {
    const { ai } = scriptedGenkit();
    const agent = defineAgent(ai, { name: "a", tools: ["nothing"], system: "Hi." });
    const { finishReason, error } = await agent.runText("hi");
    expect(finishReason).toBe("failed");
    expect(error?.message).toContain("nothing");
  });
});

describe("definePromptAgent", () => {
  it("refuses a prompt that is none", async () => {
    const { ai } = scriptedGenkit();
    for (const prompt of [5, {}, null, () => "hi", ""]) {
      const error = await errorOf(() =>
        definePromptAgent(ai, { name: "a", prompt: prompt as never }),
      );
      expect(["INVALID_ARGUMENT", "NOT_FOUND"]).toContain(error.status);
      expect(error.message).toMatch(/prompt/);
    }
  });
});

describe("toolCall", () => {
  it("knows no call in anything but a tool's second argument", () => {
    for (const options of [{}, [], () => 1]) expect(toolCall(options)).toBeUndefined();
    for (const options of [undefined, null, "x", 5]) {
      expect(toolCall(options as never)).toBeUndefined();
    }
  });
});

it("names the nearest option of a prompt agent, too", async () => {
  const { ai } = scriptedGenkit();
  const error = await errorOf(() => defineAgent(ai, { name: "a", modle: "m" } as never));
  expect(error.message).toBe("Unknown option `modle`. Did you mean `model`?");
});
