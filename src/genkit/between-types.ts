import type { MessageData, ToolRequestPart, ToolResponsePart } from "genkit";
import type { Message } from "../agent/index.ts";
import type {
  ModelChunk,
  ToolRequestPart as OurRequest,
  ToolResponsePart as OurResponse,
} from "../protocol/index.ts";
import { changeable, ourMessages } from "./genkit-types.ts";

/** A session's messages for `ai.generate`: copies, which Genkit may change. */
export function toGenkitMessages(messages: readonly Message[]): MessageData[] {
  return messages.map(changeable);
}

/** Messages of Genkit's for a session: `session.addMessages(...fromGenkitMessages([message.toJSON()]))`. */
export function fromGenkitMessages(messages: readonly MessageData[]): readonly Message[] {
  return ourMessages(messages);
}

/** A chunk of `ai.generate` for `respond.modelChunk`. */
export function fromGenkitChunk(chunk: { readonly toJSON: () => object }): ModelChunk {
  return chunk.toJSON() as ModelChunk;
}

/** An answer made by a tool's own `respond` or `restart`, for `resume`. */
export function fromGenkitPart<Part extends ToolRequestPart | ToolResponsePart>(
  part: Part,
): Part extends ToolRequestPart ? OurRequest : OurResponse {
  return part as never;
}
