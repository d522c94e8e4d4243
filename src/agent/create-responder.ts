import { type AgentStreamChunk, TurnkeepError } from "../protocol/index.ts";
import type { Responder } from "./agent-function.ts";
import { plainCopy } from "./plain-copy.ts";
import type { Session } from "./session.ts";

/** Takes what is said. */
interface Streamer {
  emit(chunk: AgentStreamChunk): void;
  emitJson(chunkJson: string): void;
}

/** What an agent's function says with, while it works. */
export function createResponder<Custom>(session: Session<Custom>, loop: Streamer): Responder {
  return {
    modelChunk: (modelChunk) => loop.emit({ modelChunk: plainCopy(modelChunk, "modelChunk") }),
    text: (text) => loop.emitJson(textChunk(text)),
    artifact: (artifact) => session.addArtifacts(artifact),
    status: (status) => loop.emit({ status: plainCopy(status, "status") }),
    chunk: (chunk) => loop.emit(plainCopy(checked(chunk), "chunk")),
  };
}

const OWN_WAYS = {
  turnEnd: "A turn ends when its handler returns; return { finishReason } from it",
  customPatch: "Change the state by session.updateCustom, which streams the patch",
} as const;

// Readers rely on both: a turn ends once, and patches lead from one state to the next.
function checked(chunk: AgentStreamChunk): AgentStreamChunk {
  for (const name of ["turnEnd", "customPatch"] as const) {
    if (chunk[name] === undefined) continue;
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `respond.chunk cannot send '${name}'. ${OWN_WAYS[name]}.`,
      { details: { field: name } },
    );
  }
  return chunk;
}

// Put straight into its JSON: nothing else is said as often. Types are not there at run time, and a log must be readable whatever is said.
function textChunk(text: unknown): string {
  return `{"modelChunk":{"content":[{"text":${JSON.stringify(String(text))}}]}}`;
}
