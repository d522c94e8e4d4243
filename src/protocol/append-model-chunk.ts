import type { Message } from "./shapes/message.ts";
import type { ModelChunk } from "./shapes/model-chunk.ts";
import type { Part } from "./shapes/part.ts";

/**
 * The messages of an answer with one more chunk of it in them. A chunk continues the last message if it has the same role and index; pieces of text are
 * joined. `lastIndex` is the index of the chunk before. Requests under the role `tool` tell Genkit's clients what waits; they are no message.
 */
export function appendModelChunk(
  messages: readonly Message[],
  { role = "model", index, content, aggregated }: ModelChunk,
  lastIndex: number | undefined,
): readonly Message[] {
  if (role === "tool" && content.every(({ toolRequest }) => toolRequest)) return messages;
  const last = messages.at(-1);
  const isSame = last?.role === role && (index === undefined || index === lastIndex);
  const before = isSame ? messages.slice(0, -1) : messages;
  // The input of a partial request is not complete yet.
  const complete = content.filter((part) => !part.toolRequest?.partial);
  const parts = isSame && !aggregated ? complete.reduce(joined, last.content) : complete;
  return [...before, { role, content: parts }];
}

function joined(parts: readonly Part[], part: Part): readonly Part[] {
  const last = parts.at(-1);
  for (const kind of ["text", "reasoning"] as const) {
    const [before, after] = [last?.[kind], part[kind]];
    if (before === undefined || after === undefined) continue;
    return [...parts.slice(0, -1), { ...last, ...part, [kind]: before + after } as Part];
  }
  return [...parts, part];
}
