import {
  type AgentOutput,
  asciiJson,
  type AgentStreamChunk,
  type Json,
} from "../../protocol/index.ts";
import type { ClientError } from "../client-error.ts";

// Genkit's JavaScript client splits at empty lines, drops six characters and parses the rest: no id, event or comment may come, and the last frame must.

/** The only sign of life that client survives. */
export const PING_FRAME: string = frame({ message: {} });

export function chunkFrame(chunk: AgentStreamChunk): string {
  return frame({ message: chunk as Json });
}

export function resultFrame(output: AgentOutput<never>): string {
  return frame({ result: output as Json });
}

export function errorFrame(error: ClientError): string {
  return frame({ error: error as unknown as Json });
}

function frame(value: Json): string {
  return `data: ${asciiJson(value)}\n\n`;
}
