import type { ServerResponse } from "node:http";

interface Watched {
  readonly answer: ServerResponse;
  writtenAt: number;
  closedAt: number | undefined;
}

export interface WatchReport {
  readonly answers: number;
  readonly open: number;
  /** The most bytes that were held for one of them at any time. */
  readonly mostHeldBytes: number;
  /** From what was written last to the end, at most, among those that have ended. */
  readonly longestStallMs: number;
}

/** Answers of a server, and how much is held for their readers: looked at whenever something is written. */
export class WatchedAnswers {
  readonly #watched: Watched[] = [];
  #mostHeldBytes = 0;

  get all(): readonly ServerResponse[] {
    return this.#watched.map(({ answer }) => answer);
  }

  add(answer: ServerResponse): void {
    const watched: Watched = { answer, writtenAt: performance.now(), closedAt: undefined };
    this.#watched.push(watched);
    const write = answer.write.bind(answer) as (text: string) => boolean;
    answer.write = (text: unknown) => {
      const takesMore = write(text as string);
      watched.writtenAt = performance.now();
      this.#mostHeldBytes = Math.max(this.#mostHeldBytes, answer.writableLength);
      return takesMore;
    };
    answer.on("close", () => (watched.closedAt = performance.now()));
  }

  forget(): void {
    this.#watched.length = 0;
    this.#mostHeldBytes = 0;
  }

  report(): WatchReport {
    const stalls = this.#watched.map(({ writtenAt, closedAt = writtenAt }) => closedAt - writtenAt);
    return {
      answers: this.#watched.length,
      open: this.#watched.filter(({ closedAt }) => closedAt === undefined).length,
      mostHeldBytes: this.#mostHeldBytes,
      longestStallMs: Math.max(0, ...stalls),
    };
  }
}
