import { setImmediate } from "node:timers";

/** What a model is told to say: so many chunks, with a pause before each. */
export interface Script {
  readonly chunks: number;
  readonly pauseMs: number;
}

/** Where to find the signal that stops it. A reply takes no time, so that nobody has to make one for it. */
interface Stop {
  readonly signal?: AbortSignal | undefined;
}

export const CHUNK = "ten chars ";

/** The language model of all contenders: follows a script when it hears one, and says its reply to everything else. */
export class ScriptedModel {
  reply = "I see.";
  /** Chunks that were said of scripts so far. */
  spoken = 0;
  /** When it was last told to stop. */
  stoppedAt = 0;

  async answer(
    heard: string,
    say: (text: string) => void = () => {},
    stop?: Stop,
  ): Promise<string> {
    if (!isScript(heard)) {
      say(this.reply);
      return this.reply;
    }
    const script = JSON.parse(heard) as Script;
    const pauses = this.#pausesOf(script, stop?.signal);
    try {
      for (let index = 0; index < script.chunks; index += 1) {
        await pauses.before(index);
        say(CHUNK);
      }
      return CHUNK.repeat(script.chunks);
    } finally {
      pauses.end();
    }
  }

  /** The same for those who take what a model says as a sequence. */
  async *chunks(heard: string, signal?: AbortSignal): AsyncGenerator<string> {
    if (!isScript(heard)) return yield this.reply;
    const script = JSON.parse(heard) as Script;
    const pauses = this.#pausesOf(script, signal);
    try {
      for (let index = 0; index < script.chunks; index += 1) {
        await pauses.before(index);
        yield CHUNK;
      }
    } finally {
      pauses.end();
    }
  }

  // It listens to its signal once, as one does that reads a stream: a listener to every chunk would be the dearest part of a turn, and nobody's but its own.
  #pausesOf({ pauseMs }: Script, signal: AbortSignal | undefined): Pauses {
    let stopPause: (reason: unknown) => void = () => {};
    const stop = (): void => {
      this.stoppedAt = performance.now();
      stopPause(signal?.reason);
    };
    signal?.addEventListener("abort", stop);
    return {
      before: (index) => {
        this.spoken += 1;
        signal?.throwIfAborted();
        // Now and then, as a model's answer comes in pieces from the network.
        if (pauseMs === 0 && index % 10 !== 0) return undefined;
        return new Promise<void>((resolve, reject) => {
          stopPause = reject;
          if (pauseMs > 0) setTimeout(resolve, pauseMs);
          else setImmediate(resolve);
        });
      },
      end: () => signal?.removeEventListener("abort", stop),
    };
  }
}

interface Pauses {
  /** Nothing to wait for where it makes none. */
  readonly before: (index: number) => Promise<void> | undefined;
  readonly end: () => void;
}

function isScript(text: string): boolean {
  return text.startsWith('{"chunks":');
}
