import { appendModelChunk, type Message, type ModelChunk } from "../protocol/index.ts";

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

  add(chunk: ModelChunk): void {
    this.#messages = appendModelChunk(this.#messages, chunk, this.#index);
    this.#index = chunk.index;
  }

  /** The last message as the agent keeps it, in place of its pieces. */
  settle(message: Message | undefined): void {
    if (!message || message.role === "user") return;
    const isStreamed = this.#messages.at(-1)?.role === message.role;
    this.#messages = [...(isStreamed ? this.#messages.slice(0, -1) : this.#messages), message];
  }
}
