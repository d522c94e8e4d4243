import type { LocalAgent } from "../../agent/index.ts";
import { defineTalker } from "../define-talker.ts";
import type { DemoTool } from "../demo-tool.ts";
import { stateOf } from "../json-shape.ts";
import { numberFrom } from "../number-from.ts";
import { type Rule, scriptOf, told } from "../script.ts";
import type { DemoParts } from "../demo-parts.ts";

export interface Guest {
  readonly name?: string;
  readonly notes: readonly string[];
}

const state = stateOf<Guest>({
  type: "object",
  required: ["notes"],
  properties: { name: { type: "string" }, notes: { type: "array", items: { type: "string" } } },
});

const TOOLS: readonly DemoTool<Guest>[] = [
  {
    name: "meet",
    description: "Writes down the guest's name.",
    input: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    run: ({ name }, { session }) => {
      session.updateCustom((guest) => ({ ...guest, name: String(name) }));
      return { met: String(name) };
    },
  },
  {
    name: "note",
    description: "Writes down something the guest wants remembered.",
    input: { type: "object", required: ["thing"], properties: { thing: { type: "string" } } },
    run: ({ thing }, { session }) => {
      session.updateCustom((guest) => ({ ...guest, notes: [...guest.notes, String(thing)] }));
      return { noted: String(thing) };
    },
  },
  {
    name: "weather",
    description: "Tomorrow's weather in a town. Invented, but always the same for the same town.",
    input: { type: "object", required: ["town"], properties: { town: { type: "string" } } },
    run: ({ town }) => ({ town: String(town), forecast: forecastFor(String(town)) }),
  },
];

const RULES: readonly Rule[] = [
  {
    when: /\b(?:my name is|i am called|call me) (\p{L}[\p{L}'-]*)/iu,
    say: ([, name = ""]) => [{ tool: "meet", input: { name } }],
  },
  {
    when: /\bremember (?:that )?(.+?)[.!]?$/iu,
    say: ([, thing = ""]) => [{ tool: "note", input: { thing } }],
  },
  {
    when: /\bweather(?: tomorrow)? in (\p{L}[\p{L} '-]*?)(?: and (?:in )?(\p{L}[\p{L} '-]*?))?[?.!]*$/iu,
    say: ([, first = "", second]) =>
      [first, second].flatMap((town) =>
        town === undefined ? [] : [{ tool: "weather", input: { town } }],
      ),
  },
  {
    when: /what do you (?:know|remember)|who am i/i,
    say: (_, { system }) => `This is all I know, and it stands in my prompt: ${system}`,
  },
  {
    when: /^(?:hi|hello|hey|good \w+)\b/i,
    say: (_, { system }) =>
      system.includes("do not know the guest")
        ? "Welcome to the Turnkeep Hotel. And you are?"
        : "Welcome back. Your key is where you left it, like everything else here.",
  },
];

/** Shows: a prompt that knows the state, tools that change it, several tools at once. */
export function defineConcierge({ store, model }: DemoParts): LocalAgent<Guest> {
  return defineTalker<Guest>({
    name: "concierge",
    description:
      "Knows its guests: a prompt that is rendered from the state, and tools that change it.",
    store,
    model,
    state,
    initialState: { notes: [] },
    tools: TOOLS,
    system: ({ name, notes }) =>
      [
        "You are the concierge of the Turnkeep Hotel, a house that forgets nothing.",
        name === undefined ? "You do not know the guest yet." : `The guest is ${name}.`,
        notes.length === 0 ? "" : `To remember: ${notes.join("; ")}.`,
      ]
        .filter((line) => line !== "")
        .join(" "),
    script: scriptOf(RULES, {
      after: (results) =>
        results
          .map(({ name, output }) => {
            if (name === "meet") return `${told(output, "met")}. I shall not forget it.`;
            if (name === "note") return `Noted: ${told(output, "noted")}.`;
            return `${told(output, "town")}: ${told(output, "forecast")} (I made that up).`;
          })
          .join(" "),
      hint: 'Try "my name is Ada", "remember that tea is at four", "weather in Oslo and Rome", or "show me your prompt".',
    }),
  });
}

const SKIES = [
  "sunshine",
  "soft rain",
  "fog until noon",
  "wind from the sea",
  "snow, surprisingly",
];

function forecastFor(town: string): string {
  const sum = numberFrom(town.toLowerCase());
  return `${SKIES[sum % SKIES.length]}, ${(sum % 30) - 2}°`;
}
