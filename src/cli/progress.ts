import type { Terminal } from "./command.ts";

const WIDTH = 24;
const CLEAR_LINE = "\r\u001B[K";

/** A bar that shows how far long work is: on a terminal only, and gone when the work is done. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #what: string;
  #shown = "";

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal;
    this.#what = what;
  }

  /** How many of them are done; of how many, where that is known. */
  show(done: number, of?: number): void {
    if (!this.#terminal.isInteractive) return;
    const text = of === undefined ? `${done}` : `${barOf(done, of)} ${done}/${of}`;
    const line = `${this.#what} ${text}`;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#terminal.output.write(`${CLEAR_LINE}${line}`);
  }

  end(): void {
    if (this.#shown !== "") this.#terminal.output.write(CLEAR_LINE);
    this.#shown = "";
  }
}

function barOf(done: number, of: number): string {
  const full = of === 0 ? WIDTH : Math.round((WIDTH * done) / of);
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)}`;
}
