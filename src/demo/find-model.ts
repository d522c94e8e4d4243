import { TurnkeepError } from "../protocol/index.ts";
import { genkitModel, type GenkitPlugin } from "./genkit-model.ts";
import type { Model } from "./model.ts";

/** A real model, or a word on why there is none. */
export interface FoundModel {
  readonly model?: Model;
  readonly hint: string;
}

interface Provider {
  readonly keys: readonly string[];
  readonly packages: string;
  readonly module: string;
  readonly plugin: string;
  readonly model: string;
}

const PROVIDERS: readonly Provider[] = [
  {
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_API_KEY"],
    packages: "genkit @cfworker/json-schema @genkit-ai/google-genai",
    module: "@genkit-ai/google-genai",
    plugin: "googleAI",
    model: "googleai/gemini-flash-latest",
  },
  {
    // Also whatever speaks the same language at OPENAI_BASE_URL.
    keys: ["OPENAI_API_KEY"],
    packages: "genkit @cfworker/json-schema @genkit-ai/compat-oai",
    module: "@genkit-ai/compat-oai/openai",
    plugin: "openAI",
    model: "openai/gpt-5-mini",
  },
];

/** The model that a key in the environment is for, if its Genkit plugin is installed. TURNKEEP_MODEL names another one of the same plugin. */
export async function findModel(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<FoundModel> {
  for (const provider of PROVIDERS) {
    const key = provider.keys.find((name) => environment[name]);
    // The first that has a key is meant.
    // oxlint-disable-next-line no-await-in-loop
    if (key) return await open(provider, { key, name: environment["TURNKEEP_MODEL"] });
  }
  const keys = PROVIDERS.map(({ keys: [key] }) => key).join(" or ");
  return { hint: `no language model; for a real one set ${keys} and install its Genkit plugin` };
}

async function open(
  { module, plugin, packages, model }: Provider,
  { key, name = model }: { readonly key: string; readonly name: string | undefined },
): Promise<FoundModel> {
  try {
    const { [plugin]: make } = (await import(module)) as Record<string, () => GenkitPlugin>;
    if (make === undefined) throw new TurnkeepError("UNIMPLEMENTED", `${module} has no ${plugin}.`);
    return { model: await genkitModel(name, make()), hint: `by ${key}` };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw error;
    return {
      hint: `no language model: ${key} is set, but not all is installed. npm install turnkeep ${packages}`,
    };
  }
}
