import type { AgentStreamChunk } from "../protocol/index.ts";
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
    chunk: (chunk) => loop.emit(plainCopy(chunk, "chunk")),
  };
}

// Put straight into its JSON: nothing else is said as often. Types are not there at run time, and a log must be readable whatever is said.
function textChunk(text: unknown): string {
  return `{"modelChunk":{"content":[{"text":${JSON.stringify(String(text))}}]}}`;
}
