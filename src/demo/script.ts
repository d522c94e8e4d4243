import type { Json, JsonObject, Message, ToolResponse } from "../protocol/index.ts";

/** What a script sees when it is its turn to speak. */
export interface Scene {
  /** The user's last words. */
  readonly said: string;
  /** What the tools gave back since then. */
  readonly results: readonly ToolResponse[];
  /** The prompt, as it was rendered for this turn. */
  readonly system: string;
}

/** A wish to have a tool run. */
export interface Call {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Words to say, or tools to ask for. */
export type Line = string | readonly Call[];

/** Stands in for a model: plain rules, no more. */
export type Script = (scene: Scene) => Line;

/** What to answer when somebody says something like it. */
export interface Rule {
  readonly when: RegExp;
  readonly say: (match: RegExpExecArray, scene: Scene) => Line;
}

/** A script of rules: the first that fits answers; once tools have, `after` puts their results into words. */
export function scriptOf(
  rules: readonly Rule[],
  {
    after,
    hint,
  }: { readonly after: (results: readonly ToolResponse[]) => string; readonly hint: string },
): Script {
  return (scene) => {
    if (scene.results.length > 0) return after(scene.results);
    for (const { when, say } of [...COMMON, ...rules]) {
      const match = when.exec(scene.said);
      if (match) return say(match, scene);
    }
    return `I know no answer to that: I am a script of a few rules. ${hint}`;
  };
}

const COMMON: readonly Rule[] = [
  {
    when: /\b(?:are you|is this) .*(?:real|ai|model|human|person|script|robot)|who are you/i,
    say: () =>
      "I am a script: a handful of rules that stand in for a language model, so that everything around it can be tried without a key. " +
      "With a key in the environment and its Genkit plugin installed, a real model answers here.",
  },
  {
    when: /\b(?:your|the|system) (?:system )?prompt\b/i,
    say: (_, { system }) => `In this turn I was told: "${system}"`,
  },
];

export function sceneOf(system: string, messages: readonly Message[]): Scene {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const results = messages
    .slice(at + 1)
    .flatMap(({ content }) => content.flatMap(({ toolResponse }) => toolResponse ?? []));
  return { said: textOf(messages[at]).trim(), results, system };
}

export function textOf(message: Message | undefined): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}

/** A member of a tool's output as text. */
export function told(output: Json | undefined, member: string): string {
  const value = typeof output === "object" && output !== null ? (output as JsonObject)[member] : "";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
