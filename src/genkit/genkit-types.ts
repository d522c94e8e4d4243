import type { GenerateOptions, MessageData } from "genkit";
import type { Artifact as GenkitArtifact } from "genkit/beta";
import type { Artifact, Message } from "../agent/index.ts";
import type { ToolRequestPart, ToolResponsePart } from "../protocol/index.ts";
import { withoutMemory } from "./sub-agent-memory.ts";

// Genkit's shapes and ours are the same JSON; only what the types say of changing them differs. The casts are all here.

export function ourMessages(messages: readonly MessageData[]): readonly Message[] {
  return messages as unknown as readonly Message[];
}

/** A message that Genkit and the plugins may change. Tool inputs and outputs are shared: nobody changes those. */
export function changeable({ role, content, metadata }: Message): MessageData {
  return {
    role,
    content: content.map((part) => ({
      ...withoutMemory(part),
    })) as unknown as MessageData["content"],
    ...(metadata && { metadata: { ...metadata } }),
  };
}

export function ourArtifacts(artifacts: readonly GenkitArtifact[]): readonly Artifact[] {
  return artifacts as unknown as readonly Artifact[];
}

/** A copy all the way down, of whichever type Genkit calls it. */
export function genkitCopy(value: object): never {
  return structuredClone(value) as never;
}

export function genkitResume(answers: {
  readonly respond: readonly ToolResponsePart[];
  readonly restart: readonly ToolRequestPart[];
}): NonNullable<GenerateOptions["resume"]> {
  const { respond, restart } = answers;
  return genkitCopy({ respond, restart });
}
