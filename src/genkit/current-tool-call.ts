import {
  AsyncContext,
  type CallContext,
  hashText,
  type Responder,
  type Session,
  systemPorts,
  type TurnContext,
} from "../agent/index.ts";
import type { ToolCall } from "./tool-call.ts";

/** What is known of a turn while its handler works. */
export interface CurrentTurn {
  readonly session: Session<never>;
  readonly turn: TurnContext;
  readonly respond: Responder<never>;
  readonly context: CallContext;
  readonly tenant: string;
}

/** A turn, and which tools were called in it so far. */
class TurnCalls {
  readonly current: CurrentTurn;
  readonly #prefix: string;
  readonly #counts = new Map<string, number>();

  constructor(current: CurrentTurn, prefix?: string) {
    this.current = current;
    // Without a store nobody tries a turn again, so any key will do.
    const { questionId, snapshotId } = current.turn;
    this.#prefix = prefix ?? questionId ?? snapshotId ?? systemPorts.ids.next();
  }

  // Equal calls of one turn are told apart by their order.
  keyOf({ name, input }: RunningTool): string {
    const hash = hashText(JSON.stringify([name, input ?? null]));
    const count = (this.#counts.get(hash) ?? 0) + 1;
    this.#counts.set(hash, count);
    return `${this.#prefix}.${hash}-${count}`;
  }
}

const turns = new AsyncContext<TurnCalls>();

/** How to do the work of a turn, or of a tool in it, so that tools below find it. */
export type TurnScope = <Result>(work: () => Result) => Result;

/** The scope of a turn, in which its work may be done piece by piece. `key` names the work, where it is not the turn's own. */
export function turnScope(current: CurrentTurn, key?: string): TurnScope {
  const calls = new TurnCalls(current, key);
  return (work) => turns.run(calls, work);
}

/** The turn that this code is part of. */
export function currentTurn(): CurrentTurn | undefined {
  return turns.get()?.current;
}

const ambientCalls = new WeakMap<object, ToolCall>();

/** The call of the tool that runs now, of which the options know nothing: it was called by `ai.generate` in a turn. */
export function callOfTurn(options: unknown): ToolCall | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const known = ambientCalls.get(options);
  if (known) return known;
  const turn = turns.get();
  const tool = runningTool();
  if (turn === undefined || tool === undefined) return undefined;
  const call = {
    ...turn.current,
    signal: turn.current.turn.signal,
    idempotencyKey: turn.keyOf(tool),
  } as unknown as ToolCall;
  ambientCalls.set(options, call);
  return call;
}

interface RunningTool {
  readonly name: string;
  readonly input?: unknown;
}

interface GenkitSpan {
  readonly metadata?: RunningTool;
  readonly labels?: Readonly<Record<string, string>>;
}

// Genkit does not tell a tool its name. It keeps what runs now for its traces, whether they are written or not.
function runningTool(): RunningTool | undefined {
  const { __genkit_AsyncContext: context } = globalThis as {
    __genkit_AsyncContext?: { getStore: (key: string) => unknown };
  };
  const span = context?.getStore("core.tracing.instrumentation.span") as GenkitSpan | undefined;
  const kind = span?.labels?.["genkit:metadata:subtype"];
  return kind === "tool" || kind === "tool.v2" ? span?.metadata : undefined;
}
