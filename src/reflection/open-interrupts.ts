import type { ToolDescription } from "../agent/index.ts";
import type { Json, JsonObject, Message, Part, ToolRequestPart } from "../protocol/index.ts";

/** A tool request that waits for a person. */
export interface OpenInterrupt {
  readonly ref?: string;
  readonly name: string;
  readonly input?: Json;
  /** What the tool says it waits for. */
  readonly interrupt: Json;
  readonly inputSchema?: JsonObject;
  /** What an answer in the tool's place must be. */
  readonly outputSchema?: JsonObject;
  readonly canRestart: boolean;
  /** To be sent back in `resume.restart` as it is. */
  readonly part: ToolRequestPart;
}

/** The requests of the last message that wait for a person. Earlier ones are settled. */
export function openInterrupts(
  messages: readonly Message[],
  tools: readonly ToolDescription[],
): readonly OpenInterrupt[] {
  const last = messages.at(-1);
  if (last?.role !== "model") return [];
  return last.content.filter(isInterrupted).map((part) => {
    const { ref, name, input } = part.toolRequest;
    const tool = tools.find((one) => one.name === name);
    return {
      ...(ref !== undefined && { ref }),
      name,
      ...(input !== undefined && { input }),
      interrupt: part.metadata?.["interrupt"] ?? true,
      ...(tool?.inputSchema && { inputSchema: tool.inputSchema }),
      ...(tool?.outputSchema && { outputSchema: tool.outputSchema }),
      canRestart: tool?.interrupt !== true,
      part,
    };
  });
}

function isInterrupted(part: Part): part is ToolRequestPart {
  const interrupt = part.metadata?.["interrupt"];
  return part.toolRequest !== undefined && interrupt !== undefined && interrupt !== false;
}
