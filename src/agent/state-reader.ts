import { contentFrom, freezeJson, type SessionContent } from "../ledger/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { InitialStateSource } from "./initial-state.ts";
import { plainCopy } from "./plain-copy.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { checkCustom, type StateSchema } from "./state-schema.ts";

/** A custom state whose shape changes from one build to the next, while sessions kept by older builds go on. */
export interface VersionedState<Custom, Input = unknown> {
  /** A whole number from 1 up. Raise it when states that are kept already would no longer be read as they should. */
  readonly version: number;
  readonly schema: StandardSchema<Custom, Input>;
  /**
   * Makes a state of this version out of one of `fromVersion`, which is 0 for states kept before there were versions. One function for all older
   * versions, so that the compiler sees that what comes out fits the schema. The state is a copy that may be changed. Called again at every read until
   * a turn keeps its result, so it must depend on nothing else.
   */
  readonly migrate?: (
    state: unknown,
    fromVersion: number,
  ) => NoInfer<Input> | Promise<NoInfer<Input>>;
}

/** The shape of the custom state: a schema, or one with a version. */
export type StateOption<Custom, Input = unknown> =
  | StateSchema<Custom, Input>
  | VersionedState<Custom, Input>;

/** What a state may be before its schema has read it; the state itself where there is no schema. */
type StateBefore<Custom, Input> = unknown extends Input ? NoInfer<Custom> : NoInfer<Input>;

/** What a new session starts with: a value, or a function that is called once for each. */
export type InitialState<Custom, Input = unknown> =
  | StateBefore<Custom, Input>
  | (() => StateBefore<Custom, Input>);

/** Makes `initialState` required where a schema takes neither `undefined` nor `{}`. */
export type NeedsInitialState<Custom, Input> =
  HasDefault<Input> extends true ? unknown : { readonly initialState: InitialState<Custom, Input> };

type HasDefault<Input> = unknown extends Input
  ? true
  : undefined extends Input
    ? true
    : // oxlint-disable-next-line typescript/no-generated-empty-object-type -- the empty object is what is meant
      Pick<Input, never> extends Input
      ? true
      : false;

/** What a session's state may be instead of one of its schema: nothing at all, where there is no schema. */
export type UnlessTyped<Input> = unknown extends Input ? undefined : never;

/** Where a state was found, for the texts of errors. */
export interface StatePlace {
  readonly sessionId: string;
  readonly snapshotId?: string | undefined;
}

/** Reads custom states of any age as this build of the agent knows them. */
export class StateReader<Custom> {
  readonly schema: StateSchema<Custom> | undefined;
  /** Absent where states have no versions. */
  readonly version: number | undefined;
  readonly #migrate: VersionedState<Custom>["migrate"];
  readonly #agent: string;
  readonly #initial: InitialStateSource;

  /** @throws TurnkeepError INVALID_ARGUMENT when the version is none, or new sessions would have no state that fits. */
  constructor(
    agent: string,
    option: StateOption<Custom> | undefined,
    initial?: InitialState<Custom>,
  ) {
    this.#agent = agent;
    const schema = option === undefined || "~standard" in option ? option : option.schema;
    this.schema = schema;
    if (option !== undefined && !("~standard" in option)) {
      const { version, migrate } = option;
      const isVersioned = Number.isSafeInteger(version) && version >= 1 && isSchema(schema);
      if (!isVersioned) throw noVersion(agent);
      this.version = version;
      this.#migrate = migrate;
    }
    this.#initial = new InitialStateSource(agent, schema, initial);
  }

  /** Whether the content is of the version that this build keeps. */
  isCurrent({ stateVersion }: SessionContent): boolean {
    return stateVersion === this.version;
  }

  /**
   * The content at this build's version, with its custom state as the schema reads it.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when a state of this version does not fit; FAILED_PRECONDITION when one of another version is newer than the
   *   build, or cannot be migrated.
   */
  async read(content: SessionContent, place: StatePlace): Promise<SessionContent> {
    const { custom, stateVersion = 0 } = content;
    const isOther = custom !== undefined && stateVersion !== (this.version ?? 0);
    const read = (
      isOther
        ? await this.#migrated(custom, stateVersion, place)
        : await checkCustom(this.schema, custom, "state.custom")
    ) as Json | undefined;
    if (read === custom && this.isCurrent(content)) return content;
    return this.withCustom(content, read);
  }

  /** Whether the content lacks a state that new sessions start with. */
  isUnset({ custom }: SessionContent): boolean {
    return custom === undefined && this.#initial.exists;
  }

  /**
   * The state that a new session starts with, made anew.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when there is none that fits.
   */
  async makeInitial(): Promise<Json | undefined> {
    return await this.#initial.make();
  }

  /** The content with a state at this build's version. */
  withCustom(content: SessionContent, custom: Json | undefined): SessionContent {
    const { messages, artifacts, promptInput } = content;
    if (custom !== undefined) freezeJson(custom, "/custom");
    return contentFrom({ messages, artifacts, custom, promptInput, stateVersion: this.version });
  }

  /** The content at this build's version; as it is when it has that version already. */
  async readOlder(content: SessionContent, place: StatePlace): Promise<SessionContent> {
    return this.isCurrent(content) ? content : await this.read(content, place);
  }

  async #migrated(custom: Json, from: number, place: StatePlace): Promise<Custom | undefined> {
    const { version = 0 } = this;
    const trouble = new MigrationTrouble(this.#agent, place, { from, to: version });
    if (from > version) throw trouble.tooNew();
    if (this.#migrate === undefined) throw trouble.missing();
    const migrated = await this.#migrateFrom(custom, from, trouble);
    try {
      return await checkCustom(this.schema, migrated, "the state");
    } catch (error) {
      throw trouble.misfit(error);
    }
  }

  async #migrateFrom(custom: Json, from: number, trouble: MigrationTrouble): Promise<Json> {
    let migrated: unknown;
    try {
      migrated = await this.#migrate?.(structuredClone(custom), from);
      // Detached from whatever the function still holds.
      if (migrated !== undefined) return plainCopy(migrated, "custom") as Json;
    } catch (error) {
      throw trouble.failed(error);
    }
    throw trouble.missing();
  }
}

class MigrationTrouble {
  readonly #agent: string;
  readonly #place: StatePlace;
  readonly #versions: { readonly from: number; readonly to: number };

  constructor(
    agent: string,
    place: StatePlace,
    versions: { readonly from: number; readonly to: number },
  ) {
    this.#agent = agent;
    this.#place = place;
    this.#versions = versions;
  }

  tooNew(): TurnkeepError {
    const { to } = this.#versions;
    const known = to === 0 ? "knows no versions" : `knows versions up to ${to}`;
    return this.#error(
      "STATE_TOO_NEW",
      `but this build of agent '${this.#agent}' ${known}. Use the build that kept it, or a newer one.`,
    );
  }

  missing(): TurnkeepError {
    return this.#error(
      "MIGRATION_MISSING",
      `and agent '${this.#agent}' has no migration from it to version ${this.#versions.to}. Let 'migrate' in its 'state' answer for version ${this.#versions.from}.`,
    );
  }

  // The function's own words may repeat the state: they stay in the cause.
  failed(cause: unknown): TurnkeepError {
    return this.#error(
      "MIGRATION_FAILED",
      `and 'migrate' of agent '${this.#agent}' failed to make version ${this.#versions.to} of it. Correct it; nothing was changed.`,
      cause,
    );
  }

  misfit(cause: unknown): TurnkeepError {
    const why = TurnkeepError.is(cause) ? cause.message : "";
    return this.#error(
      "MIGRATION_FAILED",
      `and what 'migrate' of agent '${this.#agent}' makes of it for version ${this.#versions.to} cannot be used: ${why} Correct it; nothing was changed.`,
      cause,
    );
  }

  #error(
    reason: "STATE_TOO_NEW" | "MIGRATION_MISSING" | "MIGRATION_FAILED",
    what: string,
    cause?: unknown,
  ): TurnkeepError {
    const { sessionId, snapshotId } = this.#place;
    const { from, to } = this.#versions;
    const where = snapshotId === undefined ? "" : ` in snapshot ${snapshotId}`;
    return new TurnkeepError(
      "FAILED_PRECONDITION",
      `The state of session '${sessionId}'${where} has version ${from}, ${what}`,
      {
        reason,
        details: {
          sessionId,
          ...(snapshotId !== undefined && { snapshotId }),
          stateVersion: from,
          currentVersion: to,
        },
        ...(cause !== undefined && { cause }),
      },
    );
  }
}

function isSchema<Custom>(schema: StateSchema<Custom> | undefined): boolean {
  return typeof schema === "object" || typeof schema === "function" ? "~standard" in schema : false;
}

function noVersion(agent: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `The 'state' of agent '${agent}' must be a Standard Schema, or { version, schema, migrate } with a whole number from 1 up as version.`,
  );
}
