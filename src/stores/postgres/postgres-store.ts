import {
  type Append,
  type AppendOutcome,
  type Commit,
  type DueQuery,
  hashText,
  type ListQuery,
  type RangeQuery,
  type Row,
  type Scope,
  type SessionKey,
  type SessionPage,
  type SessionStore,
  type StoreCapabilities,
  type StoreSchema,
  type SurveyedSession,
  systemPorts,
  TurnkeepError,
  UnknownOutcomeError,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { checkLimits } from "../check-limits.ts";
import { sessionName } from "../session-name.ts";
import { keyFromRow, type SessionRow, surveyPages } from "../session-row.ts";
import { storeClosed } from "../store-closed.ts";
import { WakeUps } from "../wake-ups.ts";
import { ChangeListener } from "./change-listener.ts";
import { migrate } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import {
  checkSettings,
  type CheckedSettings,
  type PostgresStoreOptions,
} from "./postgres-options.ts";
import { type PostgresStatements, statementsFor } from "./postgres-statements.ts";
import { pageFrom, toListValues } from "./read-list.ts";
import { readNames } from "./read-names.ts";
import { rowsFrom, toRangeValues } from "./read-range.ts";
import { toLoadValues, viewFrom } from "./read-view.ts";
import { enforceRowLevelSecurity } from "./row-level-security.ts";
import {
  checkServer,
  durabilityOf,
  READ_SETTINGS,
  type ServerSettings,
} from "./server-settings.ts";
import { StatementRunner } from "./statement-runner.ts";
import { orderAppends, outcomesFrom, toAppendValues } from "./write-append.ts";
import { putsTwice, toCommitValues } from "./write-commit.ts";

/** Keeps sessions in a schema of a Postgres database, which any number of processes on any number of machines may share. */
export class PostgresStore implements SessionStore {
  readonly #settings: CheckedSettings;
  readonly #statements: PostgresStatements;
  readonly #runner: StatementRunner;
  readonly #listener: ChangeListener;
  readonly #closePool: () => Promise<void>;
  readonly #wakeUps = new WakeUps(hashedName);
  readonly #channel: string | null;
  readonly #signature: string = systemPorts.ids.next();
  #capabilities: StoreCapabilities = {
    durability: "power-loss",
    multiProcess: true,
    maxRowBytes: 128 * 1024 * 1024,
  };
  #schema: StoreSchema | undefined;
  #opening: Promise<void> | undefined;
  #isOpen = false;
  #isClosed = false;

  /** @throws TurnkeepError INVALID_ARGUMENT when an option is wrong. */
  constructor({ pool, closePool = async () => {}, ...settings }: PostgresStoreOptions) {
    this.#settings = checkSettings(settings);
    const { schema, listen } = this.#settings;
    this.#statements = statementsFor(schema);
    this.#runner = new StatementRunner(pool, this.#settings);
    this.#closePool = closePool;
    this.#channel = listen ? `turnkeep_${hashText(schema)}` : null;
    this.#listener = new ChangeListener({
      runner: this.#runner,
      wakeUps: this.#wakeUps,
      channel: this.#channel ?? undefined,
      signature: this.#signature,
    });
  }

  /** Known for sure once the store is open. */
  get capabilities(): StoreCapabilities {
    return this.#capabilities;
  }

  get schema(): StoreSchema | undefined {
    return this.#schema;
  }

  async open(): Promise<void> {
    if (this.#isClosed) throw storeClosed();
    if (this.#isOpen) return;
    this.#opening ??= this.#prepare().finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async load(key: SessionKey, want: Want = {}): Promise<View> {
    const found = await this.#run("load", toLoadValues(key, want));
    const view = viewFrom(found);
    const { clock } = this.#settings;
    return clock === undefined ? view : { ...view, now: clock.now() };
  }

  async commit(key: SessionKey, commit: Commit): Promise<"ok" | "conflict"> {
    this.#checkOpen();
    if (putsTwice(commit)) return "conflict";
    const news = this.#channel === null ? NO_NEWS : ([this.#channel, this.#newsOf(key)] as const);
    const values = toCommitValues(key, commit, news);
    const [row] = await this.#runner.run(
      this.#statements.commit,
      values,
      (error) => new UnknownOutcomeError(error),
    );
    if ((row as { answer: string }).answer !== "true") return "conflict";
    this.#wakeUps.wake(key);
    return "ok";
  }

  async append(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
    this.#checkOpen();
    const ordered = orderAppends(appends);
    if (ordered.length === 0) return outcomesFrom([], ordered, appends.length);
    const newsOf = ({ key }: Append): string => this.#newsOf(key);
    const [row] = await this.#run("append", toAppendValues(ordered, this.#channel, newsOf));
    const written = JSON.parse((row as { answer: string }).answer) as boolean[];
    const outcomes = outcomesFrom(written, ordered, appends.length);
    for (const { append, place } of ordered) {
      if (outcomes[place] === "ok") this.#wakeUps.wake(append.key);
    }
    return outcomes;
  }

  async range(key: SessionKey, query: RangeQuery): Promise<readonly Row[]> {
    checkLimits({ limit: query.limit, maxBytes: query.maxBytes });
    return rowsFrom(await this.#run("range", toRangeValues(key, query)), query);
  }

  async due({ kind, agents, limit }: DueQuery): Promise<readonly SessionKey[]> {
    checkLimits({ limit });
    const now = this.#settings.clock?.now() ?? null;
    const found = await this.#run("due", [kind === "sweep", now, agents ?? null, limit]);
    return (found as SessionRow[]).map(keyFromRow);
  }

  watch(key: SessionKey, { signal }: { readonly signal: AbortSignal }): AsyncIterable<void> {
    this.#checkOpen();
    const changes = this.#wakeUps.watch(key, signal);
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = changes[Symbol.asyncIterator]();
        if (!this.#isClosed) this.#listener.start();
        return iterator;
      },
    };
  }

  async list(scope: Scope, query: ListQuery): Promise<SessionPage> {
    checkLimits({ limit: query.limit });
    const found = await this.#run("list", toListValues(scope, query));
    return pageFrom(found, scope, query.limit);
  }

  survey(): AsyncIterable<SurveyedSession> {
    const { schema } = this.#settings;
    return surveyPages((after, limit) => {
      this.#checkOpen();
      return this.#runner.withClient((client) => readNames(client, schema, [...after, limit]));
    });
  }

  /** Nothing to do: Postgres reclaims the space of deleted rows by itself (autovacuum), and better knows when. */
  async sweep(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wakeUps.close();
    await this.#opening?.catch(() => {});
    await Promise.all([this.#listener.close(), this.#runner.settled()]);
    await this.#closePool();
    this.#runner.detach();
  }

  async #prepare(): Promise<void> {
    const { schema, rowLevelSecurity } = this.#settings;
    await this.#runner.withClient(async (client) => {
      const { rows } = await client.query({
        text: READ_SETTINGS,
        query_timeout: this.#settings.queryTimeoutMs,
      });
      const server = rows[0] as ServerSettings;
      checkServer(server);
      this.#schema = await migrate(client, schema, MIGRATIONS);
      if (rowLevelSecurity) await enforceRowLevelSecurity(client, schema);
      this.#capabilities = { ...this.#capabilities, durability: durabilityOf(server) };
      this.#isOpen = true;
    });
  }

  async #run(
    statement: Exclude<keyof PostgresStatements, "commit">,
    values: Parameters<StatementRunner["run"]>[1],
  ): Promise<readonly unknown[]> {
    this.#checkOpen();
    return this.#runner.run(this.#statements[statement], values);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw storeClosed();
    if (this.#isOpen) return;
    throw new TurnkeepError("FAILED_PRECONDITION", "The store is not open yet: call open() first.");
  }

  /** Which session changed, and who says so. */
  #newsOf(key: SessionKey): string {
    return `${hashedName(key)} ${this.#signature}`;
  }
}

const NO_NEWS = [null, null] as const;

// Names may be long and are nobody's business who may listen.
function hashedName(key: SessionKey): string {
  return hashText(sessionName(key));
}
