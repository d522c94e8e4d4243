import {
  type Ledger,
  loggedRun,
  openTurns,
  type SessionKey,
  type StartedEvent,
} from "../ledger/index.ts";
import { type Message, parseAgentInput } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { ReadOptions } from "./agent.ts";
import { locate } from "./locate.ts";

/**
 * What the first unfinished turn of a run was told, as the caller may see it: no snapshot tells it before the turn has ended. `undefined` when no turn of the run
 * runs or waits, when it was told nothing, and when the caller may not see it. Where a transform decides, it is seen once the turn has started.
 */
export async function findOpenMessage<Custom>(
  definition: AgentDefinition<Custom>,
  runId: string,
  options: ReadOptions,
): Promise<Message | undefined> {
  const { ledger, key, id } = await locate(definition, runId, options);
  const { record } = await ledger.store.load(key);
  const turn = record === null ? undefined : openTurns(record).find((one) => one.runId === id);
  if (turn === undefined) return undefined;
  const [row] = await ledger.readInputs(key, { ...turn, inputs: 1 });
  // Gone when the turn has ended meanwhile.
  if (row === undefined) return undefined;
  const { message } = parseAgentInput(row.input);
  const view = definition.viewFor(key.sessionId, id, options);
  if (message === undefined || !view.transformsState) return message;
  const event = await findStart(ledger, key, turn);
  const content = event && (await view.startOf(event));
  const shown = content && (await view.partOf(content, { messages: [message], artifacts: [] }));
  return shown?.messages[0];
}

// The last one: a turn that was taken over has started again.
async function findStart(
  ledger: Ledger,
  key: SessionKey,
  { runId, turn }: Pick<StartedEvent, "turn"> & { readonly runId: string },
): Promise<StartedEvent | undefined> {
  const run = loggedRun(key, runId);
  let found: StartedEvent | undefined;
  for (let after = 0; ;) {
    const { lists } = await ledger.readHeldEvents(run, { after, isDoubtful: true });
    const events = lists.flat();
    const last = events.at(-1);
    if (last === undefined) return found;
    for (const held of events) {
      const event = held.type === "started" ? held.event : undefined;
      if (event?.type === "started" && event.turn === turn) found = event;
    }
    after = last.seq;
  }
}
