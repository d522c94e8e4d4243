import { setImmediate, setTimeout } from "node:timers/promises";

/** What a model is told to say: so many chunks, with a pause before each. */
export interface Script {
  readonly chunks: number;
  readonly pauseMs: number;
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
    signal?: AbortSignal,
  ): Promise<string> {
    if (!isScript(heard)) {
      say(this.reply);
      return this.reply;
    }
    const script = JSON.parse(heard) as Script;
    for (let index = 0; index < script.chunks; index += 1) {
      await this.#pause(script, index, signal);
      say(CHUNK);
    }
    return CHUNK.repeat(script.chunks);
  }

  /** The same for those who take what a model says as a sequence. */
  async *chunks(heard: string, signal?: AbortSignal): AsyncGenerator<string> {
    if (!isScript(heard)) return yield this.reply;
    const script = JSON.parse(heard) as Script;
    for (let index = 0; index < script.chunks; index += 1) {
      await this.#pause(script, index, signal);
      yield CHUNK;
    }
  }

  async #pause({ pauseMs }: Script, index: number, signal?: AbortSignal): Promise<void> {
    this.spoken += 1;
    try {
      if (pauseMs > 0) await setTimeout(pauseMs, undefined, signal && { signal });
      // Now and then, as a model's answer comes in pieces from the network.
      else if (index % 10 === 0) await setImmediate();
    } catch (error) {
      this.stoppedAt = performance.now();
      throw error;
    }
  }
}

function isScript(text: string): boolean {
  return text.startsWith('{"chunks":');
}
