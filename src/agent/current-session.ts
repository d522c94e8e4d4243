import type { Json } from "../protocol/index.ts";
import type { TurnContext } from "./agent-function.ts";
import { AsyncContext } from "./async-context.ts";
import type { Session } from "./session.ts";

/** What code is part of. One value for both, since the runtime passes every such value on with every promise. */
interface Ambient {
  readonly session: Session<never>;
  readonly turn?: TurnContext;
}

const ambient = new AsyncContext<Ambient>();

/** The session of the run that this code is part of: for tools and whatever they call. `undefined` outside of one. */
export function currentSession<Custom = Json>(): Session<Custom> | undefined {
  return ambient.get()?.session;
}

/**
 * The turn that this code is part of: its reserved snapshot id, its signal, its journaled steps, who called. For tools and whatever they call, however deep;
 * `undefined` outside of a turn, also between two turns of a run.
 */
export function currentTurn(): TurnContext | undefined {
  return ambient.get()?.turn;
}

/**
 * Runs the work with `session` as its current session: for code that the runtime's async context does not reach, as that of a queue or an event emitter,
 * and for tests of tools. The turn is known as well, as long as it is of the same session.
 */
export function withSession<Custom, Result>(session: Session<Custom>, work: () => Result): Result {
  const own = session as Session<never>;
  const outer = ambient.get();
  return ambient.run(outer?.session === own ? outer : { session: own }, work);
}

/** Runs the work as part of a turn. */
export function withTurn<Custom, Result>(
  session: Session<Custom>,
  turn: TurnContext,
  work: () => Result,
): Result {
  return ambient.run({ session: session as Session<never>, turn }, work);
}
