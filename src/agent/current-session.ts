import type { Json } from "../protocol/index.ts";
import { AsyncContext } from "./async-context.ts";
import type { Session } from "./session.ts";

const sessions = new AsyncContext<Session<never>>();

/** The session of the run that this code is part of: for tools and whatever they call. `undefined` outside of one. */
export function currentSession<Custom = Json>(): Session<Custom> | undefined {
  return sessions.get();
}

export function withCurrentSession<Custom, Result>(
  session: Session<Custom>,
  work: () => Result,
): Result {
  return sessions.run(session as Session<never>, work);
}
