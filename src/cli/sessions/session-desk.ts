import type { Agent, LocalAgent, SessionSummary } from "../../agent/index.ts";
import type { Terminal } from "../command.ts";
import { misuse } from "../read-arguments.ts";

/** What an action on sessions is given. */
export interface SessionDesk {
  readonly agent: Agent;
  /** Only where the agent is in this process. */
  readonly local: LocalAgent | undefined;
  /** What was named behind the agent: sessions or files. */
  readonly named: readonly string[];
  readonly owner: { readonly tenant?: string };
  readonly isJson: boolean;
  readonly values: {
    readonly "older-than"?: string | undefined;
    readonly "dry-run"?: boolean | undefined;
    readonly yes?: boolean | undefined;
    readonly to?: string | undefined;
    readonly as?: string | undefined;
  };
  readonly terminal: Terminal;
}

/** All sessions of the agent, page by page. */
export async function* everySession({ agent, owner }: SessionDesk): AsyncGenerator<SessionSummary> {
  let after: string | undefined;
  do {
    const page = { limit: 100, ...(after !== undefined && { after }) };
    // A page says where the next one begins.
    // oxlint-disable-next-line no-await-in-loop
    const { sessions, next } = await agent.listSessions({ ...owner, ...page });
    yield* sessions;
    after = next;
  } while (after !== undefined);
}

/** @throws TurnkeepError INVALID_ARGUMENT when nothing is named. */
export function someNamed({ named }: SessionDesk, what: string): readonly string[] {
  if (named.length === 0) throw misuse(`Name at least one ${what}.`);
  return named;
}
