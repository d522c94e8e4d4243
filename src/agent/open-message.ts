import { EMPTY_CONTENT, GrownList, openTurns } from "../ledger/index.ts";
import { type Message, parseAgentInput } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { ReadOptions } from "./agent.ts";
import { locate } from "./locate.ts";

/**
 * What the first unfinished turn of a run was told, as the caller may see it: no snapshot tells it before the turn has ended. `undefined` when no turn of the run
 * runs or waits, when it was told nothing, and when the caller may not see it.
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
  if (message === undefined) return undefined;
  const view = definition.viewFor(key.sessionId, id, options);
  const shown = await view.stateOf({ ...EMPTY_CONTENT, messages: GrownList.of([message]) });
  return shown?.messages?.[0];
}
