import { createInterface, type Interface } from "node:readline";
import type { Terminal } from "../command.ts";

export interface LineReaderOptions {
  readonly terminal: Terminal;
  readonly words: readonly string[];
  /** Takes a line while nobody waits for one; whether it did. */
  readonly takeAtOnce: (line: string) => boolean;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
}

/** Reads line by line, with history and completion on a terminal. What is typed while nobody asks waits until somebody does. */
export class LineReader {
  readonly #interface: Interface;
  readonly #isInteractive: boolean;
  readonly #waiting: string[] = [];
  #isOpen = true;
  #next: ((line: string | undefined) => void) | undefined;

  constructor({ terminal, words, takeAtOnce, onInterrupt }: LineReaderOptions) {
    this.#isInteractive = terminal.isInteractive;
    this.#interface = createInterface({
      input: terminal.input,
      ...(terminal.isInteractive && { output: terminal.output }),
      terminal: terminal.isInteractive,
      completer: (typed: string) => [words.filter((word) => word.startsWith(typed)), typed],
    });
    this.#interface.on("SIGINT", onInterrupt);
    this.#interface.on("line", (line) => {
      if (this.#next) this.#hand(line);
      else if (!takeAtOnce(line)) this.#waiting.push(line);
    });
    this.#interface.on("close", () => {
      this.#isOpen = false;
      this.#hand(undefined);
    });
  }

  /** The next line; `undefined` when there are no more. */
  read(prompt: string): Promise<string | undefined> {
    const [line] = this.#waiting.splice(0, 1);
    if (line !== undefined || !this.#isOpen) return Promise.resolve(line);
    if (this.#isInteractive) {
      this.#interface.setPrompt(prompt);
      this.#interface.prompt();
    }
    return new Promise((resolve) => (this.#next = resolve));
  }

  close(): void {
    this.#interface.close();
  }

  #hand(line: string | undefined): void {
    const next = this.#next;
    this.#next = undefined;
    next?.(line);
  }
}
