import type {
  GenerateRequest,
  GenerateResponseChunkData,
  GenerateResponseData,
  Genkit,
} from "genkit";

/** Answers in a model's place: `answer` of a scripted or recorded model of `turnkeep/testing`, or a function of your own. */
export type StandIn = (
  request: GenerateRequest,
  listener: { readonly sendChunk: (chunk: GenerateResponseChunkData) => void },
) => Promise<GenerateResponseData>;

/**
 * Puts a function in the place of a model, so that agents that name it run against the function with no change to them: for tests. Comes before the
 * agent's first turn; what a plugin offers under the name is not asked any more.
 */
export function standInModel(ai: Genkit, name: string, answer: StandIn): void {
  ai.defineModel(
    {
      apiVersion: "v2",
      name,
      supports: {
        multiturn: true,
        tools: true,
        toolChoice: true,
        media: true,
        systemRole: true,
        context: true,
        constrained: "all",
        output: ["text", "json"],
      },
    },
    async (request, { sendChunk }) => await answer(request, { sendChunk }),
  );
}
