import type { LocalAgent, SessionStore } from "turnkeep";
import { toolCall } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { user } from "../../agent/agents.ts";
import { databaseFile, openShared } from "../../agent/life/stores.ts";
import { gateOf, until, untilAborted } from "../../agent/life/waiting.ts";
import type { ScriptedModel } from "../scripted-model.ts";
import { responsesIn, type ToolOptions, type ToolWork, workshop } from "./workshop.ts";

const LIMITS = { leaseMs: 5000 };
const PAY = { name: "pay", ref: "1", input: { euros: 5 } };

describe("a turn that goes on in another process", () => {
  it("does not repeat a tool that was done, and has its answer", async () => {
    const world = new World();
    const first = await world.open({ pay: () => world.pay("first") });
    const asked = gateOf();
    first.model.asksFor(PAY).hangs(asked.open);
    const { snapshotId } = await first.agent.detach(user("buy"), { sessionId: "s" });
    await asked.promise;
    await first.agent.close({ handOverMs: 10 });
    const second = await world.open({ pay: () => world.pay("second") });
    // Models give a request another reference each time.
    second.model.asksFor({ ...PAY, ref: "other" }).says("Bought.");
    const { finishReason, state } = await second.agent.waitFor(snapshotId);
    expect(finishReason).toBe("stop");
    expect(world.paid).toEqual(["first"]);
    const response = [["pay", "other", { receipt: "first" }]];
    expect(responsesIn(second.model.lastRequest.messages.at(-1))).toEqual(response);
    expect(responsesIn(state?.messages?.[2])).toEqual(response);
    await second.agent.close();
  });

  it("does another request of the same tool, and tells equal ones apart", async () => {
    const world = new World();
    const first = await world.open({ pay: () => world.pay("first") });
    const asked = gateOf();
    first.model.asksFor(PAY).hangs(asked.open);
    const { snapshotId } = await first.agent.detach(user("buy"), { sessionId: "s" });
    await asked.promise;
    await first.agent.close({ handOverMs: 10 });
    const second = await world.open({ pay: () => world.pay("second") });
    second.model
      .asksFor({ ...PAY, input: { euros: 7 } }, PAY, { ...PAY, ref: "2" })
      .says("Bought.");
    const { state } = await second.agent.waitFor(snapshotId);
    expect(world.paid).toEqual(["first", "second", "second"]);
    expect(responsesIn(state?.messages?.[2]).map(([, , output]) => output)).toEqual([
      { receipt: "second" },
      { receipt: "first" },
      { receipt: "second" },
    ]);
    await second.agent.close();
  });

  it("repeats a tool that may run twice, with the same key", async () => {
    const world = new World();
    const keys: (string | undefined)[] = [];
    const pay = (who: string) => async (_input: unknown, options: object) => {
      keys.push(toolCall(options)?.idempotencyKey);
      return who === "first" ? await world.getStuck(options) : world.pay(who);
    };
    const first = await world.open({ pay: pay("first") }, ["pay"]);
    first.model.asksFor(PAY);
    const { snapshotId } = await first.agent.detach(user("buy"), { sessionId: "s" });
    await world.isStuck;
    await first.agent.close({ handOverMs: 10 });
    const second = await world.open({ pay: pay("second") }, ["pay"]);
    second.model.asksFor(PAY).says("Bought.");
    expect((await second.agent.waitFor(snapshotId)).finishReason).toBe("stop");
    expect(world.paid).toEqual(["second"]);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    await second.agent.close();
  });

  it("asks a person about a tool of which nobody knows how it ended", async () => {
    const { second, world, request } = await unknownOutcome();
    expect(request).toEqual({
      toolRequest: PAY,
      metadata: {
        interrupt: { reason: "UNKNOWN_TOOL_OUTCOME", name: "pay", step: expect.any(String) },
      },
    });
    expect(world.paid).toEqual([]);
    await second.agent.close();
  });

  it("goes on when the person says what came of it", async () => {
    const { second, world } = await unknownOutcome();
    second.model.says("Bought.");
    const toolResponse = { name: "pay", ref: "1", output: { receipt: "by hand" } };
    const output = await second.agent.run(
      { resume: { respond: [{ toolResponse }] } },
      { sessionId: "s" },
    );
    expect(output).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "Bought." }] },
    });
    expect(world.paid).toEqual([]);
    expect(responsesIn(second.model.lastRequest.messages.at(-1))).toEqual([
      ["pay", "1", { receipt: "by hand" }],
    ]);
    await second.agent.close();
  });

  it("does it again when the person says so", async () => {
    const { second, world } = await unknownOutcome();
    second.model.says("Bought.");
    const output = await second.agent.run(
      { resume: { restart: [{ toolRequest: PAY }] } },
      { sessionId: "s" },
    );
    expect(output.finishReason).toBe("stop");
    expect(world.paid).toEqual(["second"]);
    expect(responsesIn(second.model.lastRequest.messages.at(-1))).toEqual([
      ["pay", "1", { receipt: "second" }],
    ]);
    await second.agent.close();
  });

  it("does not run a tool again that had asked a person before", async () => {
    const world = new World();
    const asked: string[] = [];
    const ask =
      (who: string): ToolWork =>
      (_input, { interrupt }) => {
        asked.push(who);
        return interrupt({ question: who });
      };
    const first = await world.open({
      ask: ask("first"),
      pay: (_input, options) => world.getStuck(options),
    });
    const requests = [{ name: "ask", ref: "a" }, PAY];
    first.model.asksFor(...requests);
    const { snapshotId } = await first.agent.detach(user("buy"), { sessionId: "s" });
    await world.isStuck;
    await first.agent.close({ handOverMs: 10 });
    const second = await world.open({
      ask: ask("second"),
      pay: () => world.pay("second"),
    });
    second.model.asksFor(...requests);
    const { finishReason, state } = await second.agent.waitFor(snapshotId);
    expect(finishReason).toBe("interrupted");
    expect(asked).toEqual(["first"]);
    expect(state?.messages?.at(-1)?.content).toMatchObject([
      { metadata: { interrupt: { question: "first" } } },
      { metadata: { interrupt: { reason: "UNKNOWN_TOOL_OUTCOME" } } },
    ]);
    await second.agent.close();
  });

  it("asks again about a tool that was told to go on when its worker went away", async () => {
    const world = new World();
    const pay =
      (work: (options: ToolOptions) => unknown): ToolWork =>
      (_input, options) =>
        options.resumed ? work(options) : options.interrupt({ question: "May I?" });
    const pack = pay(() => world.pay("pack"));
    const first = await world.open({ pack, pay: pay((options) => world.getStuck(options)) });
    const pack1 = { name: "pack", ref: "p", input: {} };
    first.model.asksFor(pack1, PAY);
    await first.agent.runText("buy", { sessionId: "s" });
    const { snapshotId } = await first.agent.detach(
      { resume: { restart: [{ toolRequest: pack1 }, { toolRequest: PAY }] } },
      { sessionId: "s" },
    );
    await world.isStuck;
    await until(() => world.paid.length === 1);
    await first.agent.close({ handOverMs: 10 });
    const second = await world.open({ pack, pay: pay(() => world.pay("second")) });
    const { finishReason, state } = await second.agent.waitFor(snapshotId);
    expect(finishReason).toBe("interrupted");
    expect(state?.messages?.at(-1)?.content).toMatchObject([
      { toolRequest: pack1, metadata: { pendingOutput: { receipt: "pack" } } },
      { toolRequest: PAY, metadata: { interrupt: { reason: "UNKNOWN_TOOL_OUTCOME" } } },
    ]);
    second.model.says("Bought.");
    const resume = { restart: [{ toolRequest: PAY }] };
    expect(await second.agent.run({ resume }, { sessionId: "s" })).toMatchObject({
      finishReason: "stop",
    });
    expect(world.paid).toEqual(["pack", "second"]);
    await second.agent.close();
  });
});

/** A turn whose worker went away while its tool ran, taken over by another. */
async function unknownOutcome(): Promise<{
  readonly world: World;
  readonly second: Opened;
  readonly request: unknown;
}> {
  const world = new World();
  const first = await world.open({ pay: (_input, options) => world.getStuck(options) });
  first.model.asksFor(PAY);
  const { snapshotId } = await first.agent.detach(user("buy"), { sessionId: "s" });
  await world.isStuck;
  await first.agent.close({ handOverMs: 10 });
  const second = await world.open({ pay: () => world.pay("second") });
  second.model.asksFor(PAY);
  const { finishReason, state } = await second.agent.waitFor(snapshotId);
  expect(finishReason).toBe("interrupted");
  return { world, second, request: state?.messages?.at(-1)?.content[0] };
}

interface Opened {
  readonly agent: LocalAgent;
  readonly model: ScriptedModel;
}

/** A database and what was paid by agents on it. */
class World {
  readonly paid: string[] = [];
  readonly #file = databaseFile();
  readonly #stuck = gateOf();

  get isStuck(): Promise<void> {
    return this.#stuck.promise;
  }

  async open(
    tools: Parameters<typeof workshop>[0]["tools"],
    idempotent: readonly string[] = [],
  ): Promise<Opened> {
    const store: SessionStore = await openShared(this.#file);
    return workshop({ store, limits: LIMITS, tools, idempotent });
  }

  pay(who: string): { readonly receipt: string } {
    this.paid.push(who);
    return { receipt: who };
  }

  /** What a tool does that never comes back by itself. */
  async getStuck(options: object): Promise<never> {
    this.#stuck.open();
    return await untilAborted(toolCall(options)!.signal);
  }
}
