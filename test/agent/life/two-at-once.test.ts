import {
  type AgentOutput,
  type BusyPolicy,
  defineCustomAgent,
  type LocalAgent,
  TurnkeepError,
} from "turnkeep";
import { expect, test } from "vitest";
import type { SeededRandom } from "../../chaos/seeded-random.ts";
import { printCounts, runRaces, stagger } from "../../races/start-race.ts";
import { textOf, textsOf } from "../agents.ts";
import { type CreateStore, STORES } from "./stores.ts";

const AT_ONCE = 100;
// Set `TURNKEEP_PAIRS` for a longer run.
const FULL = Number(process.env["TURNKEEP_PAIRS"] ?? 2000);
const PAIRS: Readonly<Record<string, number>> = { memory: FULL, sqlite: FULL / 5 };
const MATRIX = STORES.flatMap(([store, create]) =>
  (["reject", "queue", "interrupt"] as const).map((policy) => [policy, store, create] as const),
);

test.each(MATRIX)(
  "two messages at once, policy %s over %s, end exactly as the policy says",
  async (policy: BusyPolicy, store: string, create: CreateStore) => {
    const agent = replyingAgent(await create(), policy);
    const counts: Record<string, number> = {};
    const count = PAIRS[store] ?? 0;
    await runRaces({ count, atOnce: AT_ONCE }, async ({ sessionId }, random) => {
      const pair = await sendPair(agent, sessionId, policy === "interrupt" ? random : undefined);
      const verdict = await VERDICTS[policy](agent, sessionId, pair);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
    });
    printCounts("agent: two messages at once", { policy, store, pairs: count, ...counts });
    expect(Object.keys(counts).filter((verdict) => verdict.startsWith("wrong"))).toEqual([]);
    expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(count);
  },
  60_000 + FULL * 60,
);

type Answer = { readonly output: AgentOutput } | { readonly error: unknown };
type Judge = (agent: LocalAgent, sessionId: string, pair: readonly Answer[]) => Promise<string>;

const VERDICTS: Readonly<Record<BusyPolicy, Judge>> = {
  reject: async (agent, sessionId, pair) => {
    const [winner] = outputsOf(pair);
    const refusals = pair.flatMap((answer) => ("error" in answer ? [answer.error] : []));
    if (winner === undefined || refusals.length !== 1) return `wrong: ${refusals.length} refused`;
    const [error] = refusals;
    if (!TurnkeepError.is(error) || error.reason !== "SESSION_BUSY")
      return `wrong: ${String(error)}`;
    if (error.details["snapshotId"] !== winner.snapshotId) return "wrong: names another turn";
    return await tellEnd(agent, sessionId, { answers: [winner], aborted: 0, name: "one refused" });
  },
  queue: async (agent, sessionId, pair) => {
    const outputs = outputsOf(pair);
    if (outputs.length !== 2) return `wrong: ${outputs.length} answered`;
    const answers = await inOrder(agent, sessionId, outputs);
    return await tellEnd(agent, sessionId, { answers, aborted: 0, name: "both answered" });
  },
  interrupt: async (agent, sessionId, pair) => {
    const outputs = outputsOf(pair);
    if (outputs.length !== 2) return "wrong: one was refused";
    const answered = outputs.filter(({ finishReason }) => finishReason === "stop");
    const aborted = outputs.filter(({ finishReason }) => finishReason === "aborted").length;
    if (answered.length + aborted !== 2 || answered.length === 0) {
      return `wrong: ${outputs.map(({ finishReason }) => finishReason).join()}`;
    }
    const answers = await inOrder(agent, sessionId, answered);
    const name = aborted === 1 ? "first aborted" : "first completed before";
    return await tellEnd(agent, sessionId, { answers, aborted, name });
  },
};

interface End {
  /** Those who were answered, in the order they were. */
  readonly answers: readonly AgentOutput[];
  readonly aborted: number;
  readonly name: string;
}

// One straight line of completed snapshots whose last holds what every answered message said; nothing is left open.
async function tellEnd(
  agent: LocalAgent,
  sessionId: string,
  { answers, aborted, name }: End,
): Promise<string> {
  const snapshots = await agent.listSnapshots(sessionId);
  const completed = snapshots.filter(({ status }) => status === "completed");
  const others = snapshots.filter(({ status }) => status !== "completed");
  if (others.some(({ status }) => status !== "aborted")) return "wrong: a turn without an end";
  if (others.length !== aborted) return `wrong: ${others.length} aborted`;
  if (completed.map(({ snapshotId }) => snapshotId).join() !== idsOf(answers)) {
    return "wrong: other snapshots than answers";
  }
  const isLine = completed.every(
    ({ parentId }, index) => parentId === completed[index - 1]?.snapshotId,
  );
  if (!isLine) return "wrong: a silent fork";
  const head = await agent.getLatestSnapshot(sessionId);
  const said = answers.flatMap(({ message }) => [textOf(message).slice(4), textOf(message)]);
  return textsOf(head.state).join() === said.join() ? name : `wrong: ${textsOf(head.state).join()}`;
}

async function inOrder(
  agent: LocalAgent,
  sessionId: string,
  outputs: readonly AgentOutput[],
): Promise<readonly AgentOutput[]> {
  const order = (await agent.listSnapshots(sessionId)).map(({ snapshotId }) => snapshotId);
  return outputs.toSorted(
    (left, right) => order.indexOf(left.snapshotId!) - order.indexOf(right.snapshotId!),
  );
}

function idsOf(outputs: readonly AgentOutput[]): string {
  return outputs.map(({ snapshotId }) => snapshotId).join();
}

function outputsOf(pair: readonly Answer[]): readonly AgentOutput[] {
  return pair.flatMap((answer) => ("output" in answer ? [answer.output] : []));
}

async function sendPair(
  agent: LocalAgent,
  sessionId: string,
  random: SeededRandom | undefined,
): Promise<readonly Answer[]> {
  const send = async (text: string): Promise<Answer> => {
    try {
      const pauses = random ? random.below(MOST_PAUSES) : MOST_PAUSES;
      return { output: await agent.runText(text, { sessionId, context: { pauses } }) };
    } catch (error) {
      return { error };
    }
  };
  const late = async (): Promise<Answer> => {
    if (random) await stagger(random);
    return await send("b");
  };
  return await Promise.all([send("a"), late()]);
}

// Long enough for the other message to come in the middle.
const MOST_PAUSES = 12;

function replyingAgent(store: Awaited<ReturnType<CreateStore>>, onBusy: BusyPolicy): LocalAgent {
  return defineCustomAgent({ name: "replier", store, onBusy }, async ({ session, context }) => {
    await session.run(async (input, { signal }) => {
      for (let pause = 0; pause < Number(context["pauses"]); pause += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const text = `re: ${textOf(input.message)}`;
      session.addMessages({ role: "model", content: [{ text }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}
