import type { AgentStreamChunk } from "../protocol/index.ts";
import type { Responder } from "./agent-function.ts";
import { plainCopy } from "./plain-copy.ts";
import type { Session } from "./session.ts";

/** What an agent's function says with, while it works. */
export function createResponder<Custom>(
  session: Session<Custom>,
  emit: (chunk: AgentStreamChunk) => void,
): Responder {
  return {
    modelChunk: (modelChunk) => emit({ modelChunk: plainCopy(modelChunk) }),
    text: (text) => emit({ modelChunk: { content: [{ text }] } }),
    artifact: (artifact) => session.addArtifacts(artifact),
    status: (status) => emit({ status: plainCopy(status) }),
    chunk: (chunk) => emit(plainCopy(chunk)),
  };
}
