/** One event of a run, as far as readers that count look at it. */
export interface SeenUpdate {
  readonly seq: number;
  readonly type: string;
  readonly chunk?: {
    readonly modelChunk?: { readonly content: readonly { readonly text?: string }[] };
    readonly turnEnd?: { readonly finishReason?: string };
  };
}

/** What one reader has seen of a run that counts. */
export class Reading {
  /** Every event's number, in the order it was seen. */
  readonly seqs: number[] = [];
  /** How often it left in mid-stream, by itself. */
  leaves = 0;
  /** How often it was left, or not let in. */
  losses = 0;
  /** How often the run began anew. */
  restarts = 0;
  /** What the run counted since it began for the last time. */
  counted: number[] = [];
  /** How the run came out, once the reader was told. */
  finishReason: string | undefined;

  note({ seq, type, chunk }: SeenUpdate): void {
    this.seqs.push(seq);
    if (type === "restarted") {
      this.restarts += 1;
      this.counted = [];
    }
    this.finishReason = chunk?.turnEnd?.finishReason ?? this.finishReason;
    const text = chunk?.modelChunk?.content[0]?.text;
    if (text !== undefined) this.counted.push(Number(text));
  }
}

/** Somebody who reads a run until it is over. */
export interface Reader {
  readonly reading: Reading;
  readonly read: () => Promise<void>;
}

export interface Flaws {
  /** Events that a reader did not see. */
  readonly gaps: number;
  /** Events that a reader saw more than once. */
  readonly doubles: number;
  /** Readers whose events came in another order, whose run did not count up to its end, or who were not told that it did. */
  readonly misled: number;
}

/** What is wrong with what the readers of one run saw. */
export function flawsOf(readings: readonly Reading[], chunks: number): Flaws {
  const last = Math.max(...readings.map(({ seqs }) => Math.max(0, ...seqs)));
  let gaps = 0;
  let doubles = 0;
  let misled = 0;
  for (const { seqs, counted, finishReason } of readings) {
    const distinct = new Set(seqs).size;
    gaps += last - distinct;
    doubles += seqs.length - distinct;
    const isInOrder = seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0));
    const isWhole = counted.length === chunks && counted.every((number, at) => number === at + 1);
    if (!isInOrder || !isWhole || finishReason !== "stop") misled += 1;
  }
  return { gaps, doubles, misled };
}
