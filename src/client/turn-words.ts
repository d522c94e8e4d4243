import type { Message, ModelChunk, Part } from "../protocol/index.ts";

/** The messages of a turn as they are being said. */
export class TurnWords {
  #messages: readonly Message[] = [];
  #index: number | undefined;

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** What was said so far no longer counts. */
  clear(): void {
    this.#messages = [];
  }

  add({ role = "model", index, content, aggregated }: ModelChunk): void {
    const last = this.#messages.at(-1);
    const isSame = last?.role === role && (index === undefined || index === this.#index);
    this.#index = index;
    const before = isSame ? this.#messages.slice(0, -1) : this.#messages;
    // A request that is still being written says nothing yet.
    const said = content.filter((part) => !part.toolRequest?.partial);
    const parts = isSame && !aggregated ? said.reduce(joined, last.content) : said;
    this.#messages = [...before, { role, content: parts }];
  }

  /** The last message as the agent keeps it, in place of its pieces. */
  settle(message: Message | undefined): void {
    if (!message || message.role === "user") return;
    const isStreamed = this.#messages.at(-1)?.role === message.role;
    this.#messages = [...(isStreamed ? this.#messages.slice(0, -1) : this.#messages), message];
  }
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
