import { currentSession, currentTurn, type TurnContext, withSession } from "turnkeep";
import { describe, expect, it } from "vitest";
import { STORES } from "./stores.ts";
import { agentOf, model } from "./turns.ts";

const later = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1);
  });

// A tool that knows nothing of the agent that calls it.
async function charge(amount: number): Promise<string> {
  await later();
  const turn = currentTurn();
  if (turn === undefined) return "outside of a turn";
  return await turn.step({ name: "charge", input: { amount } }, ({ idempotencyKey }) => {
    expect(idempotencyKey).not.toBe("");
    return `charged ${amount} for ${turn.snapshotId}`;
  });
}

describe.each(STORES)("currentTurn() over %s", (_, openStore) => {
  it("is the handler's own turn in all that it calls", async () => {
    const agent = agentOf({ store: await openStore() }, async ({ session }, turn) => {
      expect(currentTurn()).toBe(turn);
      await Promise.all([later(), Promise.resolve().then(later)]);
      expect(currentTurn()).toBe(turn);
      session.addMessages(model(await charge(5)));
    });
    const output = await agent.runText("go", {
      sessionId: "s",
      tenant: "acme",
      context: { role: "admin" },
    });
    expect(output.error).toBeUndefined();
    expect(output.message).toEqual(model(`charged 5 for ${output.snapshotId}`));
  });

  it("names the session, the tenant, the caller's context and the place in the run", async () => {
    const turns: TurnContext[] = [];
    const agent = agentOf({ store: await openStore() }, async () => {
      await later();
      turns.push(currentTurn()!);
    });
    const options = { sessionId: "s", tenant: "acme", context: { role: "admin" } };
    const connection = agent.connect(options);
    await connection.sendText("a");
    await connection.sendText("b");
    await connection.output();
    const [first, second] = turns;
    expect(second).toMatchObject({ ...options, turnIndex: 1, attempt: 1 });
    expect(second?.parentSnapshotId).toBe(first?.snapshotId);
    expect(second?.signal).toBeInstanceOf(AbortSignal);
    // Members may be taken apart, as those of the handler's argument.
    const { step } = first!;
    expect(step).toBeTypeOf("function");
  });

  it("is the inner one while an agent talks to another", async () => {
    const store = await openStore();
    const inner = agentOf({ name: "inner", store }, ({ session }) => {
      session.addMessages(model(currentTurn()!.sessionId));
    });
    const outer = agentOf({ name: "outer", store }, async ({ session }, turn) => {
      const answer = await inner.runText("go", { sessionId: "in" });
      expect(currentTurn()).toBe(turn);
      session.addMessages(answer.message!);
    });
    const output = await outer.runText("go", { sessionId: "out" });
    expect(output.error).toBeUndefined();
    expect(output.message).toEqual(model("in"));
  });
});

it("currentTurn() is nothing outside of turns, and between those of a run", async () => {
  expect(currentTurn()).toBeUndefined();
  const between: unknown[] = [];
  const agent = agentOf({}, async () => {
    await later();
    between.push(currentTurn()?.turnIndex);
  });
  await agent.runText("go");
  expect(between).toEqual([0]);
  expect(currentTurn()).toBeUndefined();
});

describe("withSession()", () => {
  it("makes a session the current one of code that does not belong to the run", async () => {
    const calls: (() => void)[] = [];
    const agent = agentOf<{ seen: string }>({}, async ({ session }) => {
      await new Promise<void>((resolve) => {
        calls.push(() =>
          withSession(session, () => {
            currentSession<{ seen: string }>()?.setCustom({ seen: session.sessionId });
            resolve();
          }),
        );
      });
    });
    const running = agent.runText("go");
    while (calls.length === 0) await later();
    expect(currentSession()).toBeUndefined();
    calls[0]?.();
    const { state } = await running;
    expect(state?.custom).toEqual({ seen: state?.sessionId });
  });

  it("keeps the turn of its own session, and hides that of another", async () => {
    const seen: unknown[] = [];
    const agent = agentOf({}, async ({ session }, turn) => {
      withSession(session, () => seen.push(currentTurn() === turn));
      const other = agentOf({}, async (tools) => {
        withSession(session, () => seen.push(currentTurn()));
        expect(currentSession()).toBe(tools.session);
      });
      await other.runText("go");
    });
    const output = await agent.runText("go");
    expect(output.error).toBeUndefined();
    expect(seen).toEqual([true, undefined]);
  });
});
