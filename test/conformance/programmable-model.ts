import type { GenerateResponseChunkData, GenerateResponseData, Genkit } from "genkit";
import type { Json } from "turnkeep/protocol";

/** What the model says, call by call. */
export interface ModelScript {
  readonly modelResponses: readonly Json[];
  /** What it streams before each response. */
  readonly streamChunks: readonly (readonly Json[])[];
}

const SILENCE: ModelScript = { modelResponses: [], streamChunks: [] };

/** A model that says what it is told to. */
export class ProgrammableModel {
  readonly name = "programmableModel";
  #script = SILENCE;
  #calls = 0;

  constructor(ai: Genkit) {
    ai.defineModel(
      { apiVersion: "v2", name: this.name, supports: { multiturn: true, tools: true } },
      async (request, { sendChunk }) => {
        const { chunks, response } = this.#next();
        for (const chunk of chunks) sendChunk(chunk);
        return { ...response, request };
      },
    );
  }

  /** The next call is the first of this script. */
  play(script: ModelScript): void {
    this.#script = script;
    this.#calls = 0;
  }

  #next(): {
    readonly chunks: GenerateResponseChunkData[];
    readonly response: GenerateResponseData;
  } {
    const call = this.#calls;
    this.#calls += 1;
    const response = this.#script.modelResponses[call];
    if (response === undefined) throw new Error(`The model has no response for call ${call + 1}.`);
    // Copies, as Genkit may keep or change what it is given.
    return structuredClone({
      chunks: (this.#script.streamChunks[call] ?? []) as GenerateResponseChunkData[],
      response: response as GenerateResponseData,
    });
  }
}
