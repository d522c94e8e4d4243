import type { Contender } from "./contender.ts";

// A new contender is one file and one line here. The packages of those in `peers` are installed on demand, so they are plain JavaScript.
const FILES: Readonly<Record<string, string>> = {
  floor: "./floor.ts",
  turnkeep: "./turnkeep.ts",
  genkit: "./genkit.ts",
  langgraph: "../peers/langgraph.mjs",
  mastra: "../peers/mastra.mjs",
  "openai-agents": "../peers/openai-agents.mjs",
  "ai-sdk": "../peers/ai-sdk.mjs",
};

export const CONTENDER_NAMES: readonly string[] = Object.keys(FILES);

/** @throws Error when nobody has the name, or its packages are not installed. */
export async function loadContender(name: string): Promise<Contender> {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (file === undefined) throw new Error(`There is no contender "${name}".`);
  const url = new URL(file, import.meta.url).href;
  const { contender } = (await import(url)) as { readonly contender: Contender };
  return contender;
}
