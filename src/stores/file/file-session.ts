import {
  type Append,
  type AppendOutcome,
  type Commit,
  type Row,
  type SessionKey,
  TurnkeepError,
} from "../../ledger/index.ts";
import type { CommitHeader } from "./checked-file.ts";
import { compactSession, isHalfDead, isLongTailed } from "./compact-session.ts";
import { isGone } from "./disk.ts";
import type { DueIndex } from "./due-index.ts";
import { catchUp, readSession } from "./read-session.ts";
import { SessionState } from "./session-state.ts";
import type { StoreFolder } from "./store-folder.ts";
import { toStoreError } from "./to-store-error.ts";
import { createSession, rootSession, writeEntry } from "./write-session.ts";

/** What a session's state has to say about a write: a refusal, or what to write. */
type Decision<Refusal> =
  | { readonly refusal: Refusal }
  | {
      readonly header: CommitHeader | { readonly type: "append"; readonly seq: number };
      readonly rows: readonly Row[];
    };

// Each time another process was faster, so all of them together got somewhere.
const MAX_ATTEMPTS = 1000;
const RECORD_WEIGHT = 1000;

/** One session in this process: its state as far as it was read, and its calls one after the other. */
export class FileSession {
  readonly #folder: StoreFolder;
  readonly #due: DueIndex;
  readonly #key: SessionKey;
  #state: SessionState | undefined;
  #isRooted = false;
  #running: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(folder: StoreFolder, due: DueIndex, key: SessionKey) {
    this.#folder = folder;
    this.#due = due;
    this.#key = { ...key };
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** About how many characters it holds in memory. */
  get weight(): number {
    return this.#state === undefined ? 0 : this.#state.live + RECORD_WEIGHT;
  }

  /** Whether {@link tidy} has something to do. */
  get isUntidy(): boolean {
    return this.#state !== undefined && isLongTailed(this.#state);
  }

  read<Result>(use: (state: SessionState | undefined) => Result): Promise<Result> {
    return this.#inTurn(async () => use(await this.#refresh()));
  }

  commit(commit: Commit): Promise<"ok" | "conflict"> {
    return this.#inTurn(() => this.#write((state) => decideCommit(this.#key, state, commit)));
  }

  /** All of one session, in turn and in one entry. */
  append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    return this.#inTurn(async () => {
      let outcomes: readonly AppendOutcome[] = [];
      await this.#write((state) => {
        const decided = decideAppends(state, appends);
        ({ outcomes } = decided);
        return state === undefined || decided.rows.length === 0
          ? { refusal: "ok" as const }
          : { header: { type: "append", seq: state.seq + 1 }, rows: decided.rows };
      });
      return outcomes;
    });
  }

  /** Folds the tail when it is long. */
  tidy(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#state !== undefined && isLongTailed(this.#state))
        await this.#compact(this.#state, false);
    });
  }

  /** Takes away what was dropped, if it is worth it. */
  purge(): Promise<void> {
    return this.#inTurn(async () => {
      const state = await this.#refresh();
      if (state !== undefined && (state.record === null || isHalfDead(state)))
        await this.#compact(state, true);
    });
  }

  async #compact(state: SessionState, isWhole: boolean): Promise<void> {
    const isOver = await isGone(compactSession(this.#folder, state, { isWhole }));
    // Another process has folded it, or it has ended.
    if (isOver || state.record === null) this.#state = undefined;
  }

  /** Refuses only by the newest state, since the one at hand may be old. */
  async #write<Refusal>(
    decide: (state: SessionState | undefined) => Decision<Refusal>,
  ): Promise<Refusal | "ok"> {
    let isNewest = this.#state === undefined;
    let state = this.#state ?? (await this.#refresh());
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const decision = decide(state);
      if ("refusal" in decision && isNewest) return decision.refusal;
      if (!("refusal" in decision) && (await this.#put(state, decision)) === "written") return "ok";
      state = await this.#refresh();
      isNewest = true;
    }
    throw new TurnkeepError("UNAVAILABLE", "Other processes write to the session; try again.", {
      reason: "STORE_BUSY",
      retryable: true,
    });
  }

  async #put(
    state: SessionState | undefined,
    { header, rows }: Exclude<Decision<never>, { readonly refusal: never }>,
  ): Promise<"written" | "lost"> {
    const session = this.#folder.sessionOf(this.#key);
    if (header.type === "commit")
      await this.#due.note(session, state?.record ?? null, header.record);
    if (state === undefined) {
      if (header.type !== "commit") return "lost";
      const created = await createSession(this.#folder, this.#key, { header, rows });
      if (created === "lost") return "lost";
      this.#state = created;
      this.#isRooted = true;
      return "written";
    }
    if (!this.#isRooted) await rootSession(this.#folder, session);
    this.#isRooted = true;
    return writeEntry(this.#folder, state, { header, rows });
  }

  async #refresh(): Promise<SessionState | undefined> {
    const known = this.#state;
    // Given up first: a state that could not be brought up to date must not be used.
    this.#state = undefined;
    const caughtUp = known === undefined ? "moved" : await catchUp(this.#folder, known);
    this.#state = caughtUp === "moved" ? await readSession(this.#folder, this.#key) : caughtUp;
    if (this.#state === undefined || this.#state.place.life !== known?.place.life)
      this.#isRooted = false;
    return this.#state;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const done = this.#running.then(work).catch((error: unknown) => {
      this.#state = undefined;
      throw toStoreError(error);
    });
    this.#running = done
      .catch(() => {})
      .finally(() => {
        this.#waiting -= 1;
      });
    return done;
  }
}

function decideCommit(
  key: SessionKey,
  state: SessionState | undefined,
  commit: Commit,
): Decision<"ok" | "conflict"> {
  const { expect, record, put = [] } = commit;
  if ((state?.version ?? 0) !== expect) return { refusal: "conflict" };
  if (record === null && expect === 0) return { refusal: "ok" };
  const isPresent = put.some((row) => state?.rows.has(row.key) === true);
  const isTwice = new Set(put.map((row) => row.key)).size < put.length;
  if (isPresent || isTwice) return { refusal: "conflict" };
  const before = state ?? new SessionState(key, { life: "", generation: "", number: 0 });
  return { header: before.toCommitHeader(commit), rows: record === null ? [] : put };
}

/** Rows of all the appends that still hold the slot, and what to answer to each. */
function decideAppends(
  state: SessionState | undefined,
  appends: readonly Append[],
): { readonly outcomes: readonly AppendOutcome[]; readonly rows: readonly Row[] } {
  const added = new Map<string, string>();
  const outcomes = appends.map((append) => {
    const rows = state === undefined ? undefined : rowsToAdd(state, added, append);
    for (const [key, value] of rows ?? []) added.set(key, value);
    return rows === undefined ? "fenced" : "ok";
  });
  return { outcomes, rows: [...added].map(([key, value]) => ({ key, value })) };
}

function rowsToAdd(
  { record, rows }: SessionState,
  before: ReadonlyMap<string, string>,
  append: Append,
): ReadonlyMap<string, string> | undefined {
  const { epoch, snapshotId } = append.fence;
  if (record?.epoch !== epoch || record.active?.snapshotId !== snapshotId) return undefined;
  const added = new Map<string, string>();
  for (const { key, value } of append.rows) {
    const present = added.get(key) ?? before.get(key) ?? rows.get(key);
    if (present !== undefined && present !== value) return undefined;
    if (present === undefined) added.set(key, value);
  }
  return added;
}
