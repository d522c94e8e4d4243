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
    modelChunk: (modelChunk) => loop.emit({ modelChunk: plainCopy(modelChunk) }),
    // Put straight into its JSON: there is nothing that says as much as often.
    text: (text) =>
      loop.emitJson(`{"modelChunk":{"content":[{"text":${JSON.stringify(`${text}`)}}]}}`),
    artifact: (artifact) => session.addArtifacts(artifact),
    status: (status) => loop.emit({ status: plainCopy(status) }),
    chunk: (chunk) => loop.emit(plainCopy(chunk)),
  };
}
