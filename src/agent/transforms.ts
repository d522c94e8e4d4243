import type { Timers } from "../ledger/index.ts";
import {
  type AgentStreamChunk,
  ANSWER_LIMITS,
  type Json,
  parseAgentStreamChunk,
  parseSessionState,
  type SessionState,
  type StatusName,
  TurnkeepError,
} from "../protocol/index.ts";
import type { CallContext } from "./call-context.ts";

/** A type whose values may be changed, all the way down: what a transform gets is a copy of its own. */
export type Mutable<Value> = Json extends Value ? MutableJson : MutableMember<Value>;

type MutableMember<Value> = Value extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? MutableJsonObject
      : { -readonly [Member in keyof Value]: Mutable<Value[Member]> }
    : Value;

type MutableJson = string | number | boolean | null | MutableJson[] | MutableJsonObject;

interface MutableJsonObject {
  [key: string]: MutableJson | undefined;
}

/**
 * Rewrites a state on its way to a client. It owns the state it gets, and may change it and return it, return another
 * one, or return `undefined` to send none. It gets the state that the snapshot shows. While a turn runs, that is the state the turn started from with its
 * input, and the patches and artifacts streamed so far; messages that the turn adds come with its end. For an answer it is also called with the answered message and
 * artifacts in place of all: they are sent if it shows them both times.
 */
export type StateTransform<Custom = Json> = Transform<SessionState<Custom>>;

/** Rewrites a chunk on its way to a client, like a `StateTransform`. */
export type StreamTransform<Status = Json> = Transform<AgentStreamChunk<Status>>;

type Transform<Value> = (
  value: Mutable<Value>,
  context: CallContext,
) => Value | undefined | Promise<Value | undefined>;

export type TransformOptions = {
  readonly context: CallContext;
  readonly timers: Timers;
  /** How long a transform may take: a second unless told. One that never waits cannot be stopped. */
  readonly timeoutMs?: number;
};

const LONGEST_MS = 1000;
// Ids of our own making: those of snapshots hold that of their session.
const LIMITS = { ...ANSWER_LIMITS, idLength: 1024 };

/**
 * The state as a client may see it; `undefined` when it may see none. The session id stays whatever the transform does.
 *
 * @throws TurnkeepError REDACTION_FAILED when the transform throws, takes too long or returns something else. The status is
 *   that of a thrown TurnkeepError, else INTERNAL; the message says nothing of the state.
 */
export async function applyStateTransform<Custom>(
  transform: StateTransform<Custom> | undefined,
  state: SessionState<Custom>,
  options: TransformOptions,
): Promise<SessionState<Custom> | undefined> {
  if (transform === undefined) return state;
  const seen = await applyTransform(transform, state, {
    ...options,
    name: "state",
    parse: (value) => parseSessionState(value, { limits: LIMITS }) as SessionState<Custom>,
  });
  if (seen === undefined) return undefined;
  const { sessionId: _, ...rest } = seen;
  return state.sessionId === undefined ? rest : { sessionId: state.sessionId, ...rest };
}

/**
 * The chunk as a client may see it; `undefined` when it may not.
 *
 * @throws TurnkeepError REDACTION_FAILED as with `applyStateTransform`.
 */
export async function applyStreamTransform(
  transform: StreamTransform | undefined,
  chunk: AgentStreamChunk,
  options: TransformOptions,
): Promise<AgentStreamChunk | undefined> {
  if (transform === undefined) return chunk;
  const { subAgent } = chunk;
  if (subAgent) {
    // What another agent streams is guarded like what this one does.
    const shown = await applyStreamTransform(transform, subAgent.chunk, options);
    return shown && { subAgent: { ...subAgent, chunk: shown } };
  }
  return applyTransform(transform, chunk, {
    ...options,
    name: "stream",
    parse: (value) => parseAgentStreamChunk(value, { limits: LIMITS }),
  });
}

type Guard<Value> = TransformOptions & {
  readonly name: string;
  readonly parse: (value: unknown) => Value;
};

async function applyTransform<Value>(
  transform: Transform<Value>,
  value: Value,
  guard: Guard<Value>,
): Promise<Value | undefined> {
  const seen = await runTransform(transform, value, guard).catch((error: unknown) => {
    throw redactionFailed(guard, error, TurnkeepError.is(error) ? { status: error.status } : {});
  });
  try {
    return seen === undefined ? undefined : guard.parse(seen);
  } catch (error) {
    const hint = seen === null ? " It returned null: return undefined to send nothing." : "";
    throw redactionFailed(guard, error, { hint });
  }
}

async function runTransform<Value>(
  transform: Transform<Value>,
  value: Value,
  { context, timers, timeoutMs = LONGEST_MS }: TransformOptions,
): Promise<Value | undefined> {
  const result = transform(structuredClone(value) as Mutable<Value>, context);
  if (!isThenable(result)) return result;
  const finished = new AbortController();
  const timeout = timers.sleep(timeoutMs, { signal: finished.signal }).then(() => {
    throw new TurnkeepError("INTERNAL", `It took longer than ${timeoutMs} ms.`);
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    // The sleep rejects with this, and the race has an ear for it.
    finished.abort(null);
  }
}

function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<PromiseLike<Value>>).then === "function"
  );
}

// What was thrown may hold what was to be hidden, so it goes along only as the cause, for the log.
function redactionFailed(
  { name }: { readonly name: string },
  cause: unknown,
  { status = "INTERNAL", hint = "" }: { readonly status?: StatusName; readonly hint?: string } = {},
): TurnkeepError {
  return new TurnkeepError(
    status,
    `The ${name} transform of this agent failed, so nothing was sent.${hint}`,
    { reason: "REDACTION_FAILED", cause },
  );
}
