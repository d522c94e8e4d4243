import {
  type AgentOptions,
  currentTurn,
  defineCustomAgent,
  type Json,
  type LocalAgent,
} from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { textsOf, user } from "../agents.ts";
import { collect } from "../life/waiting.ts";
import { STORES } from "./stores.ts";
import { agentOf, errorOf, model } from "./turns.ts";

/** An agent of two rounds of tools a turn, which says what it saved on the way. */
function roundsAgent(options: Partial<AgentOptions<Json>>): {
  readonly agent: LocalAgent;
  readonly saved: (string | undefined)[];
} {
  const saved: (string | undefined)[] = [];
  const agent = agentOf(options, async ({ session }, turn) => {
    for (const round of ["one", "two"]) {
      session.addMessages(model(round));
      saved.push(await turn.endToolRound());
    }
    session.addMessages(model("done"));
    return { finishReason: "stop" };
  });
  return { agent, saved };
}

describe.each(STORES)("a snapshot inside of a turn over %s", (_, openStore) => {
  it("is saved after each round of tools where the policy asks for it", async () => {
    const store = await openStore();
    const { agent, saved } = roundsAgent({ store, snapshotWhen: ["turnEnd", "toolRound"] });
    const output = await agent.runText("go", { sessionId: "s" });
    expect(output.snapshotIds).toEqual([...saved, output.snapshotId]);
    const listed = await agent.listSnapshots("s", { withState: true });
    expect(listed).toMatchObject([
      { snapshotId: saved[0], event: "tool-round", turnIndex: 0, status: "completed" },
      { snapshotId: saved[1], event: "tool-round", parentId: saved[0] },
      { snapshotId: output.snapshotId, event: "turn-end" },
    ]);
    expect(listed[2]).not.toHaveProperty("parentId");
    expect(listed.map(({ state }) => textsOf(state))).toEqual([
      ["go", "one"],
      ["go", "one", "two"],
      ["go", "one", "two", "done"],
    ]);
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(output.snapshotId);
  });

  it("is read, forked, compared and resumed as a branch", async () => {
    const store = await openStore();
    const { agent, saved } = roundsAgent({ store, snapshotWhen: ["turnEnd", "toolRound"] });
    const output = await agent.runText("go", { sessionId: "s" });
    const [first = ""] = saved;
    expect(textsOf((await agent.getSnapshot(first)).state)).toEqual(["go", "one"]);
    expect(textsOf((await agent.fork(first, { sessionId: "copy" })).state)).toEqual(["go", "one"]);
    const diff = await agent.diff(first, output.snapshotId!);
    expect(diff.messages.added).toEqual([model("two"), model("done")]);
    const branch = await agent.runText("otherwise", { snapshotId: first });
    const { state, parentId } = await agent.getSnapshot(branch.snapshotId!);
    expect(parentId).toBe(first);
    expect(textsOf(state)).toEqual(["go", "one", "otherwise", "one", "two", "done"]);
  });

  it("is there while its turn runs, in a detached one as well", async () => {
    const seen: unknown[] = [];
    const agent: LocalAgent = agentOf({ store: await openStore() }, async ({ session }, turn) => {
      session.addMessages(model("half"));
      const id = await turn.snapshot();
      seen.push(await agent.getSnapshot(id!), await agent.listSnapshots("s"));
    });
    const { wait, snapshotId } = await agent.detach(user("go"), { sessionId: "s" });
    expect((await wait()).status).toBe("completed");
    expect(seen).toMatchObject([
      { event: "tool-round", status: "completed" },
      [{ event: "tool-round" }, { snapshotId, status: "pending" }],
    ]);
    const { snapshotIds } = await agent.getOutput(snapshotId);
    expect(snapshotIds).toEqual([expect.stringContaining("s."), snapshotId]);
  });

  it("is saved for who asks for it, also deep inside", async () => {
    const saved: (string | undefined)[] = [];
    const deep = async (): Promise<void> => void saved.push(await currentTurn()?.snapshot());
    const agent = agentOf({ store: await openStore() }, async () => {
      await deep();
    });
    const { snapshotIds, snapshotId } = await agent.runText("go", { sessionId: "s" });
    expect(snapshotIds).toEqual([...saved, snapshotId]);
    expect(await agent.listSnapshots("s")).toHaveLength(2);
  });

  it("is kept when its turn fails afterwards, and can be gone on from", async () => {
    let saved: string | undefined;
    const agent = agentOf({ store: await openStore() }, async ({ session }, turn, text) => {
      session.addMessages(model("half"));
      saved ??= await turn.snapshot();
      if (text === "fail") throw new Error("no");
    });
    const failed = await agent.runText("fail", { sessionId: "s" });
    expect(failed).toMatchObject({ finishReason: "failed" });
    expect(failed.snapshotIds).toEqual([saved, failed.snapshotId]);
    const branch = await agent.runText("again", { snapshotId: saved! });
    const { state } = await agent.getSnapshot(branch.snapshotId!);
    expect(textsOf(state)).toEqual(["fail", "half", "again", "half"]);
  });

  it("adds nothing to what clients are streamed", async () => {
    const store = await openStore();
    const { agent } = roundsAgent({ store, snapshotWhen: ["turnEnd", "toolRound"] });
    const { chunks, output } = agent.streamText("go");
    const seen = await collect(chunks);
    await output;
    expect(seen.filter(({ turnEnd }) => turnEnd)).toHaveLength(1);
  });
});

describe("a snapshot inside of a turn", () => {
  it.each([
    ["always", "by default" as const],
    ["a list without it", ["turnEnd"] as const],
  ])("is not saved by a policy that does not ask for it: %s", async (_, policy) => {
    const snapshotWhen = policy === "by default" ? "always" : policy;
    const { agent, saved } = roundsAgent({ store: new MemoryStore(), snapshotWhen });
    const output = await agent.runText("go", { sessionId: "s" });
    expect(saved).toEqual([undefined, undefined]);
    expect(output.snapshotIds).toEqual([output.snapshotId]);
  });

  it("is decided on by a function of the state before and after", async () => {
    const { agent, saved } = roundsAgent({
      store: new MemoryStore(),
      snapshotWhen: ({ event, state }) =>
        event !== "toolRound" || state.messages?.at(-1)?.content[0]?.text === "two",
    });
    await agent.runText("go", { sessionId: "s" });
    expect(saved).toEqual([undefined, expect.any(String)]);
  });

  it("is not saved where nothing is, whoever asks", async () => {
    const saved: unknown[] = [];
    const handler = async (_tools: unknown, turn: { snapshot: () => Promise<unknown> }) =>
      void saved.push(await turn.snapshot());
    const never = agentOf({ store: new MemoryStore(), snapshotWhen: "never" }, handler);
    const carried = agentOf({}, handler);
    const output = await carried.runText("go");
    expect(output).not.toHaveProperty("snapshotIds");
    await never.runText("go", { sessionId: "s" });
    expect(saved).toEqual([undefined, undefined]);
  });

  it("is refused when the state does not fit, and passed over by the policy", async () => {
    const errors: unknown[] = [];
    const agent = agentOf<{ n: number }>(
      {
        store: new MemoryStore(),
        state: z.object({ n: z.number() }),
        initialState: { n: 0 },
        snapshotWhen: ["turnEnd", "toolRound"],
      },
      async ({ session }, turn) => {
        session.setCustom({ n: "none" } as never);
        errors.push(await errorOf(async () => await turn.snapshot()));
        expect(await turn.endToolRound()).toBeUndefined();
        session.setCustom({ n: 1 });
        expect(await turn.snapshot()).toEqual(expect.any(String));
      },
    );
    const output = await agent.runText("go", { sessionId: "s" });
    expect(output.error).toBeUndefined();
    expect(errors).toMatchObject([{ status: "INVALID_ARGUMENT" }]);
    expect(output.snapshotIds).toHaveLength(2);
  });

  it("ends with its turn: a late one is refused", async () => {
    let late: (() => Promise<unknown>) | undefined;
    const agent = agentOf({ store: new MemoryStore() }, (_tools, turn) => {
      late = turn.snapshot;
    });
    await agent.runText("go", { sessionId: "s" });
    const error = await errorOf(async () => await late?.());
    expect(error.reason).toBe("TURN_TAKEN");
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });
});

describe("the snapshots of an output", () => {
  it("are those of all turns of the run, in order", async () => {
    const { agent } = roundsAgent({
      store: new MemoryStore(),
      snapshotWhen: ["turnEnd", "toolRound"],
    });
    await agent.runText("before", { sessionId: "s" });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    const { snapshotIds, snapshotId } = await connection.output();
    const listed = (await agent.listSnapshots("s")).slice(3);
    expect(snapshotIds).toEqual(listed.map((snapshot) => snapshot.snapshotId));
    expect(snapshotIds).toHaveLength(6);
    expect(await agent.getOutput(snapshotId!)).toMatchObject({ snapshotIds });
  });

  it("include the one of what changed after the last turn", async () => {
    const agent = defineCustomAgent(
      { name: "late", store: new MemoryStore() },
      async ({ session }) => {
        await session.run(() => {});
        session.addMessages(model("afterwards"));
      },
    );
    const { snapshotIds, snapshotId } = await agent.runText("go", { sessionId: "s" });
    const listed = await agent.listSnapshots("s");
    expect(snapshotIds).toEqual(listed.map((snapshot) => snapshot.snapshotId));
    expect(snapshotIds?.at(-1)).toBe(snapshotId);
    expect(snapshotIds).toHaveLength(2);
  });
});
