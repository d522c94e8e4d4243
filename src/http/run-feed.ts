import type { AgentConnection, ReadOptions, RunUpdate } from "../agent/index.ts";
import type { Ports } from "../ledger/index.ts";
import { type AgentOutput, TurnkeepError } from "../protocol/index.ts";
import type { ServedAgent } from "./exchange.ts";
import { HeldText } from "./held-text.ts";

export interface FeedOptions {
  readonly agent: ServedAgent;
  readonly runId: string;
  readonly reader: ReadOptions;
  /** Aborts when nobody reads any more. */
  readonly gone: AbortSignal;
  /** The run as it goes on in this process; else it is read from its log. */
  readonly connection?: AgentConnection<never>;
  /** The last event that the reader has. */
  readonly after?: number;
}

/** What an update is to its reader; nothing, for one that says nothing to it. */
export type Encode = (update: RunUpdate) => string;

// A run that has nothing to say for this long is there: those that are not are missed at once.
const FOUND_MS = 500;

/**
 * One run for one reader: live as long as the reader keeps up, from the log when it does not, or when the run went on in another process. The run
 * itself waits for no reader.
 */
export class RunFeed {
  readonly runId: string;
  readonly #options: FeedOptions;
  readonly #log: AsyncGenerator<RunUpdate>;
  #first: Promise<IteratorResult<RunUpdate>> | undefined;
  #seen: number;
  #snapshotId: string | undefined;

  constructor(options: FeedOptions) {
    const { agent, runId, reader, gone, after = 0 } = options;
    this.#options = options;
    this.runId = runId;
    this.#seen = after;
    // From the beginning: what the run ended in may have been said before the place where the reader is.
    this.#log = agent.attach(runId, { ...reader, signal: gone });
  }

  /** @throws TurnkeepError NOT_FOUND when there is no such run. */
  async find(timers: Ports["timers"]): Promise<void> {
    this.#first = this.#log.next();
    this.#first.catch(() => {});
    const enough = new AbortController();
    const patience = timers.sleep(FOUND_MS, { signal: enough.signal }).catch(() => {});
    try {
      await Promise.race([this.#first, patience]);
    } finally {
      enough.abort(null);
    }
  }

  /** All that the reader does not have yet, as text, several updates at a time. */
  async *read(encode: Encode): AsyncGenerator<string> {
    const { connection } = this.#options;
    const isDone = connection !== undefined && (yield* this.#live(connection, encode));
    if (isDone) return;
    for await (const update of this.#rest()) {
      const text = encode(update);
      if (text !== "") yield text;
    }
  }

  /** How the run came out. */
  async output(): Promise<AgentOutput<never>> {
    const { agent, connection, reader } = this.#options;
    const output = await connection?.output();
    if (output && !isTaken(output)) return output;
    for await (const _ of this.#rest()) {
      // Up to the end, which says what it ended in.
    }
    return this.#snapshotId === undefined ? {} : await agent.getOutput(this.#snapshotId, reader);
  }

  // Whether that was all: the reader may be behind, or the run elsewhere.
  async *#live(
    connection: AgentConnection<never>,
    encode: Encode,
  ): AsyncGenerator<string, boolean> {
    const held = new HeldText();
    void this.#collect(connection, { held, encode });
    try {
      yield* held.read();
      return !held.isFull && !isTaken(await connection.output());
    } finally {
      held.drop();
    }
  }

  // Never waits for the reader: what it does not take in time it finds in the log.
  async #collect(
    connection: AgentConnection<never>,
    { held, encode }: { readonly held: HeldText; readonly encode: Encode },
  ): Promise<void> {
    try {
      for await (const updates of connection.batches()) {
        for (const update of updates) this.#hold(update, held, encode);
      }
      held.close();
    } catch (error) {
      held.fail(error);
    }
  }

  #hold(update: RunUpdate, held: HeldText, encode: Encode): void {
    if (held.isFull) return;
    const isElsewhere = this.#isKept && update.id !== undefined;
    const isHeld = held.offer(encode(update), { isElsewhere });
    if (isHeld && isElsewhere) this.#seen = update.seq;
    if (!isHeld && !isElsewhere) held.fail(tooSlow());
  }

  get #isKept(): boolean {
    return this.#options.agent.metadata.stateManagement === "server";
  }

  async *#rest(): AsyncGenerator<RunUpdate> {
    const first = await this.#first;
    this.#first = undefined;
    if (first && !first.done) yield* this.#unseen(first.value);
    for await (const update of this.#log) yield* this.#unseen(update);
  }

  #unseen(update: RunUpdate): readonly RunUpdate[] {
    this.#snapshotId = update.chunk?.turnEnd?.snapshotId ?? this.#snapshotId;
    if (update.seq <= this.#seen) return [];
    this.#seen = update.seq;
    return [update];
  }
}

// Another process works on the run; what it comes to is in the log.
function isTaken({ error }: AgentOutput<never>): boolean {
  const details = error?.details;
  if (typeof details !== "object" || details === null || !("reason" in details)) return false;
  return details.reason === "TURN_TAKEN";
}

function tooSlow(): TurnkeepError {
  return new TurnkeepError("RESOURCE_EXHAUSTED", "The reader is too slow for this run.", {
    reason: "LIMIT_EXCEEDED",
  });
}
