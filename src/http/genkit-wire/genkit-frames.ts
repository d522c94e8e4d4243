import { type AgentOutputData, asciiJson, asciiText, type Json } from "../../protocol/index.ts";
import type { ClientError } from "../client-error.ts";

// Genkit's JavaScript client splits at empty lines, drops six characters and parses the rest: no id, event or comment may come, and the last frame must.

/** The only sign of life that client survives. */
export const PING_FRAME: string = frame({ message: {} });

/** A chunk, given as JSON. */
export function chunkFrame(chunkJson: string): string {
  return `data: {"message":${asciiText(chunkJson)}}\n\n`;
}

export function resultFrame(output: AgentOutputData<never>): string {
  return frame({ result: output as Json });
}

export function errorFrame(error: ClientError): string {
  return frame({ error: error as unknown as Json });
}

function frame(value: Json): string {
  return `data: ${asciiJson(value)}\n\n`;
}
