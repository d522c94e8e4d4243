import {
  type Append,
  type AppendOutcome,
  type Commit,
  type SessionKey,
  type SessionStore,
  type Snapshot,
  UnknownOutcomeError,
  type View,
  type Want,
} from "../../../src/ledger/index.ts";
import { snapshotOfRow } from "../../../src/ledger/snapshot-row.ts";

/** A function that lets others go first, as fast-check's scheduler does. */
export type Interleave = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * A store whose calls interleave with those of other actors and now and then lose their answer. It writes down, in the order
 * things really happened, what no answer tells: which turns were taken in, and that the epoch never falls.
 */
export class WatchedStore {
  readonly #inner: SessionStore;
  readonly #interleave: Interleave;
  readonly #lost: ("none" | "before" | "after")[];
  /** Inputs taken in since the session was last erased. */
  readonly inputs: Set<string> = new Set();
  /** Snapshots committed since then, whether or not they were kept. */
  readonly snapshots: Map<string, Snapshot> = new Map();
  /** Those of the last commit that added any. */
  lastAdded: readonly string[] = [];
  commits = 0;
  conflicts = 0;
  #epoch = 0;

  constructor(
    inner: SessionStore,
    interleave: Interleave,
    lostAnswers: readonly ("none" | "before" | "after")[],
  ) {
    this.#inner = inner;
    this.#interleave = interleave;
    this.#lost = [...lostAnswers];
  }

  /** As a full store: whatever is not watched goes straight to the inner one. */
  asStore(): SessionStore {
    const { load, commit, append } = this;
    const inner = this.#inner;
    return new Proxy(inner, {
      get: (target, name) => {
        if (name === "load") return load;
        if (name === "commit") return commit;
        if (name === "append") return append;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  }

  readonly load = (key: SessionKey, want?: Want): Promise<View> =>
    this.#interleave(() => this.#inner.load(key, want));

  readonly append = (appends: readonly Append[]): Promise<readonly AppendOutcome[]> =>
    this.#interleave(() => this.#inner.append(appends));

  readonly commit = (key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> => {
    const lost = this.#lost.shift() ?? "none";
    return this.#interleave(async () => {
      if (lost === "before") throw new UnknownOutcomeError("connection lost before the write");
      const outcome = await this.#inner.commit(key, commit);
      if (outcome === "ok") this.#note(commit);
      else this.conflicts += 1;
      if (lost === "after") throw new UnknownOutcomeError("connection lost after the write");
      return outcome;
    });
  };

  #note({ record, put = [], drop }: Commit): void {
    this.commits += 1;
    const epoch = record?.epoch ?? 0;
    if (epoch < this.#epoch) throw new Error(`epoch fell from ${this.#epoch} to ${epoch}`);
    this.#epoch = epoch;
    if (drop === "all") {
      this.inputs.clear();
      this.snapshots.clear();
    }
    const added = put.filter(({ key }) => key.startsWith("snapshot/")).map(snapshotOfRow);
    if (added.length > 0) this.lastAdded = added.map(({ snapshotId }) => snapshotId);
    for (const snapshot of added) this.snapshots.set(snapshot.snapshotId, snapshot);
    for (const row of put) {
      if (row.key.startsWith("input/")) this.inputs.add(row.key);
    }
  }
}
