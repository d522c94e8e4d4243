import type { Ports } from "../ledger/index.ts";
import type { HttpLimits } from "./http-limits.ts";

/** Where the text of a stream goes: a socket, or whatever a runtime reads an answer from. */
export interface Outlet {
  /** Whether it takes more at once. If not, the stream is told by `drained` when it does. */
  readonly write: (text: string) => boolean;
  readonly end: () => void;
  /** Breaks off, so that what was sent does not look complete. */
  readonly break: (error: Error) => void;
}

/** What a stream of text is, and for how long it goes on. */
export interface StreamKind {
  /** Server-sent events, unless told. */
  readonly contentType?: string;
  /** What an idle stream says now and then; nothing, unless told. */
  readonly ping?: string;
  /** Ends the stream, without a word, after this time; it goes on as long as there is something to say, unless told. */
  readonly mostMs?: number;
}

export interface StreamOptions {
  readonly kind: StreamKind;
  readonly limits: Pick<HttpLimits, "pingMs" | "stallMs">;
  readonly timers: Ports["timers"];
  /** Called once, when nobody reads any more or all was said. */
  readonly onEnd: () => void;
}

/**
 * Text on its way to one reader. It is written as it comes while the reader takes it, and held while it does not: how much of it is for whoever says it
 * to mind, by `heldLength` or by waiting for `clear`. A reader that stops reading for too long is dropped.
 */
export class TextStream {
  readonly #options: StreamOptions;
  #outlet: Outlet | undefined;
  #held = "";
  /** Whether the reader takes more. */
  #isClear = false;
  #isSaid = false;
  #isOver = false;
  #quietTimes = 0;
  #wake: () => void = nothing;
  #stopPing: () => void = nothing;
  #stopStall: () => void = nothing;
  #stopLife: () => void = nothing;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { kind, timers } = options;
    const { mostMs } = kind;
    if (mostMs !== undefined) this.#stopLife = timers.after(mostMs, () => this.#leave(end));
  }

  /** Whether there is no use in saying more. */
  get isOver(): boolean {
    return this.#isOver || this.#isSaid;
  }

  /** How many characters the reader has not taken yet. */
  get heldLength(): number {
    return this.#held.length;
  }

  /** Whether more is welcome at once. */
  say(text: string): boolean {
    if (this.isOver) return false;
    this.#held += text;
    if (this.#isClear) this.#pass();
    return this.#isClear;
  }

  /** Resolves when the reader takes more, or nobody reads any more. */
  async clear(): Promise<void> {
    if (this.#isClear || this.#isOver) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** All was said. */
  end(): void {
    this.#isSaid = true;
    this.#endIfTaken();
  }

  /** There is more to say that cannot be said. */
  fail(error: Error): void {
    this.#leave((outlet) => outlet.break(error));
  }

  /** The reader is there. */
  open(outlet: Outlet): void {
    if (this.#isOver) return outlet.end();
    this.#outlet = outlet;
    this.drained();
    const { ping } = this.#options.kind;
    if (ping !== undefined && !this.isOver) this.#mindQuiet(ping);
  }

  /** The reader takes more. */
  drained(): void {
    if (this.#isOver || this.#isClear) return;
    this.#isClear = true;
    this.#stopStall();
    this.#pass();
    this.#endIfTaken();
    if (this.#isClear) this.#wake();
  }

  /** Nobody reads any more. */
  cancel(): void {
    this.#leave(nothing);
  }

  #pass(): void {
    const { limits, timers } = this.#options;
    const text = this.#held;
    this.#held = "";
    if (text !== "") this.#isClear = this.#outlet?.write(text) ?? false;
    this.#quietTimes = 0;
    if (!this.#isClear) this.#stopStall = timers.after(limits.stallMs, () => this.#drop());
  }

  // Looks twice in the time, instead of setting a timer anew whenever something is said.
  #mindQuiet(ping: string): void {
    const { limits, timers } = this.#options;
    this.#stopPing = timers.after(limits.pingMs / 2, () => {
      this.#quietTimes += 1;
      if (this.#quietTimes > 1 && this.#isClear) this.say(ping);
      if (!this.isOver) this.#mindQuiet(ping);
    });
  }

  #endIfTaken(): void {
    if (this.#isSaid && this.#held === "" && this.#outlet) this.#leave(end);
  }

  #drop(): void {
    this.fail(new Error("The reader stopped reading."));
  }

  #leave(lastAct: (outlet: Outlet) => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = "";
    this.#stopPing();
    this.#stopStall();
    this.#stopLife();
    if (this.#outlet) lastAct(this.#outlet);
    this.#wake();
    this.#options.onEnd();
  }
}

function end(outlet: Outlet): void {
  outlet.end();
}

function nothing(): void {}
