import {
  beginFromState,
  findHeadState,
  freezeRecord,
  type HeadRecord,
  type SessionKey,
  TurnkeepError,
} from "../../ledger/index.ts";
import { MemorySession } from "../memory-session.ts";
import { readWanted } from "../read-wanted.ts";
import { sessionName } from "../session-name.ts";

/** A session as one document: what other programs read of it, and everything that the ledger keeps. */
export interface SessionDocument {
  readonly state: OutsideState;
  /** Absent in a document that another program wrote. */
  readonly ledger?: LedgerPart | undefined;
}

/** The conversation, for other programs. */
export interface OutsideState {
  readonly messages?: readonly unknown[] | undefined;
  readonly custom?: unknown;
  readonly artifacts?: readonly unknown[] | undefined;
}

/** Record and rows. Row values stay the text that they are, since they are compared byte by byte. */
export interface LedgerPart {
  readonly schema: 1;
  readonly tenant: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly version: number;
  readonly record: HeadRecord;
  readonly rows: Readonly<Record<string, string>>;
}

/** What a document without a conversation shows. */
export const EMPTY_STATE: OutsideState = {};

/**
 * The session that a document holds; `undefined` when it holds none. One that another program wrote begins with its conversation.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when the document is another session's, or of a newer format.
 */
export function findSession(
  key: SessionKey,
  document: SessionDocument | undefined,
  now: number,
): MemorySession | undefined {
  if (document?.ledger) return sessionFrom(key, document.ledger);
  if (document === undefined || isEmpty(document.state)) return undefined;
  const { record, put } = beginFromState(document.state, now);
  const session = newSession(key);
  session.apply(record, { expect: 0, record, put });
  return session;
}

export function newSession(key: SessionKey): MemorySession {
  return new MemorySession(sessionName(key), key);
}

/** The document of a session after a change; `before` is the document that it was read from. */
export function documentOf(
  session: MemorySession,
  before: SessionDocument | undefined,
): SessionDocument {
  const { record, rows, version, key } = session;
  const ledger: LedgerPart = {
    schema: 1,
    tenant: key.scope.tenant,
    agent: key.agent,
    sessionId: key.sessionId,
    version,
    record,
    rows: Object.fromEntries(rows),
  };
  return { state: outsideState(session, before), ledger };
}

/** Whether two documents hold the same record and rows. Databases may order the members of an object as they like; row values are text. */
export function isSameLedger(
  found: LedgerPart | undefined,
  wanted: LedgerPart | undefined,
): boolean {
  const rows = Object.entries(wanted?.rows ?? {});
  return (
    found?.version === wanted?.version &&
    Object.keys(found?.rows ?? {}).length === rows.length &&
    rows.every(([key, value]) => found?.rows[key] === value)
  );
}

function outsideState(
  { record, rows }: MemorySession,
  before: SessionDocument | undefined,
): OutsideState {
  if (record.head === null || record.deletedAt !== undefined) return EMPTY_STATE;
  const known = before?.state ?? EMPTY_STATE;
  if (record.head === before?.ledger?.record.head) return known;
  const wanted = readWanted(rows, record, { chainOf: "head" });
  const state = findHeadState({ record, rows: wanted.rows });
  return state
    ? { messages: state.messages, custom: state.custom, artifacts: state.artifacts }
    : known;
}

function sessionFrom(key: SessionKey, ledger: LedgerPart): MemorySession {
  if (ledger.schema !== 1) throw tooNew(key);
  const { tenant, agent, sessionId, version, record, rows } = ledger;
  const isOwn = tenant === key.scope.tenant && agent === key.agent && sessionId === key.sessionId;
  if (!isOwn) throw foreign(key, agent);
  const session = newSession(key);
  session.version = version;
  session.record = freezeRecord(structuredClone(record));
  for (const [name, value] of Object.entries(rows)) session.rows.insert({ key: name, value });
  return session;
}

function isEmpty({ messages = [], artifacts = [], custom }: OutsideState): boolean {
  return messages.length === 0 && artifacts.length === 0 && custom === undefined;
}

function foreign({ sessionId }: SessionKey, agent: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Session "${sessionId}" of this session store belongs to agent "${agent}". Give each agent a session store of its own.`,
    { reason: "STORE_UNSUITABLE" },
  );
}

function tooNew({ sessionId }: SessionKey): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `Session "${sessionId}" was written by a newer version of Turnkeep. Upgrade this process.`,
    { reason: "SCHEMA_TOO_NEW" },
  );
}
