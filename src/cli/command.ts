import type { Readable, Writable } from "node:stream";

/** Where a command writes to, and how it is told to stop. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Resolves when the process is asked to end. Until a command calls this, a signal ends the process at once. */
  readonly asksToStop: () => Promise<void>;
  /** What is typed, and where it is seen: for talks. */
  readonly input: Readable;
  readonly output: Writable;
  /** Whether a person sits before both. */
  readonly isInteractive: boolean;
  readonly hasColours: boolean;
}

/** One word behind `turnkeep`. */
export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Everything, for `--help`. */
  readonly help: string;
  /**
   * Resolves when the command is done.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when it was called wrongly; others when it could not do its work.
   */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<void>;
}
