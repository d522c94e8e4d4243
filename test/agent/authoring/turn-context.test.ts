import { type AgentFunction, defineCustomAgent, type TurnContext } from "turnkeep";
import { describe, expect, it } from "vitest";
import { textOf, textsOf } from "../agents.ts";
import { STORES } from "./stores.ts";
import { agentOf, errorOf, model } from "./turns.ts";

describe.each(STORES)("the context of a turn over %s", (_, openStore) => {
  it("names the snapshot before it is there, its parent, and the turn's place in the run", async () => {
    const turns: TurnContext[] = [];
    const agent = agentOf({ store: await openStore() }, (_tools, turn) => {
      turns.push(turn);
    });
    const first = await agent.runText("a", { sessionId: "s" });
    const connection = agent.connect({ sessionId: "s" });
    const ended: (string | undefined)[] = [];
    for (const text of ["b", "c"]) {
      await connection.sendText(text);
      for await (const { turnEnd } of connection.receive()) {
        if (!turnEnd) continue;
        ended.push(turnEnd.snapshotId);
        break;
      }
    }
    await connection.output();
    expect(turns.map(({ turnIndex }) => turnIndex)).toEqual([0, 0, 1]);
    expect(turns.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect(turns.map(({ snapshotId }) => snapshotId)).toEqual([first.snapshotId, ...ended]);
    expect(turns.map(({ parentSnapshotId }) => parentSnapshotId)).toEqual([
      undefined,
      first.snapshotId,
      ended[0],
    ]);
    const kept = await agent.listSnapshots("s");
    expect(kept.map(({ snapshotId }) => snapshotId)).toEqual([first.snapshotId, ...ended]);
    expect(kept.map(({ parentId }) => parentId)).toEqual([undefined, first.snapshotId, ended[0]]);
  });

  it("can be looked up as pending while the turn works", async () => {
    const agent = agentOf({ store: await openStore() }, async (_tools, { snapshotId }) => {
      expect((await agent.getSnapshot(snapshotId!)).status).toBe("pending");
    });
    const output = await agent.runText("a");
    expect(output.error).toBeUndefined();
    expect((await agent.getSnapshot(output.snapshotId!)).status).toBe("completed");
  });

  it("lets a failed turn be caught, and goes on with the next input", async () => {
    const agent = defineCustomAgent({ name: "stubborn", store: await openStore() }, stubborn);
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["one", "bad", "three"]) await connection.sendText(text);
    const output = await connection.output();
    expect(output).toMatchObject({ finishReason: "stop", message: model("did three at 2") });
    expect(output.error).toBeUndefined();
    const snapshots = await agent.listSnapshots("s");
    expect(snapshots.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
    expect(snapshots[1]?.error).toMatchObject({ status: "INTERNAL", message: "cannot do bad" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual([
      "one",
      "did one at 0",
      "bad",
      "sorry",
      "three",
      "did three at 2",
    ]);
  });

  it("keeps of a failed turn its message, and what it asked to keep", async () => {
    const agent = agentOf<{ n: number }>(
      { store: await openStore() },
      ({ session }, turn, text) => {
        session.setCustom({ n: 1 });
        session.addMessages(model("step one"));
        if (text === "keep") turn.keep();
        session.setCustom({ n: 2 });
        session.addMessages(model("step two"));
        throw new Error("no luck");
      },
    );
    const kept = await agent.runText("keep", { sessionId: "k" });
    expect(kept.finishReason).toBe("failed");
    const { state } = await agent.getLatestSnapshot("k");
    expect(state?.custom).toEqual({ n: 1 });
    expect(state?.messages?.map(textOf)).toEqual(["keep", "step one"]);
    await agent.runText("drop", { sessionId: "d" });
    const dropped = (await agent.getLatestSnapshot("d")).state;
    expect(dropped).not.toHaveProperty("custom");
    expect(dropped?.messages?.map(textOf)).toEqual(["drop"]);
  });

  it("takes the reason of the turn, unless the agent says another", async () => {
    const store = await openStore();
    const define = (name: string, finishReason?: "other"): ReturnType<typeof agentOf> =>
      defineCustomAgent({ name, store }, async ({ session }) => {
        await session.run(() => ({ finishReason: "length" }));
        return { ...session.result(), ...(finishReason && { finishReason }) };
      });
    expect((await define("turn").runText("a")).finishReason).toBe("length");
    const other = await define("own", "other").runText("a", { sessionId: "s" });
    expect(other.finishReason).toBe("other");
    const silent = agentOf({ name: "silent", store }, () => {});
    expect(await silent.runText("a")).not.toHaveProperty("finishReason");
  });

  it("answers with what the function returns, as plain JSON that nobody else holds", async () => {
    const message = { ...model("own"), toJSON: () => model("own") };
    const agent = defineCustomAgent(
      { name: "own", store: await openStore() },
      async ({ session }) => {
        await session.run(() => {});
        return { message, artifacts: [{ name: "a", parts: [{ text: "1" }] }] };
      },
    );
    const output = await agent.runText("hi");
    expect(output.message).toEqual(model("own"));
    expect(output.message).not.toBe(message);
    expect(output.artifacts).toHaveLength(1);
  });
});

describe("the context of a turn without a store", () => {
  it("names no snapshot, since nothing is kept", async () => {
    const turns: TurnContext[] = [];
    const agent = agentOf({}, (_tools, turn) => {
      turns.push(turn);
    });
    await agent.runText("a");
    expect(turns[0]).not.toHaveProperty("snapshotId");
    expect(turns[0]).not.toHaveProperty("parentSnapshotId");
    expect(turns[0]).toMatchObject({ turnIndex: 0, attempt: 1 });
  });

  it("lets a failed turn be caught there too", async () => {
    const agent = defineCustomAgent({ name: "stubborn" }, stubborn);
    const connection = agent.connect();
    for (const text of ["one", "bad", "three"]) await connection.sendText(text);
    const output = await connection.output();
    expect(output.error).toBeUndefined();
    expect(textsOf(output.state)).toEqual([
      "one",
      "did one at 0",
      "bad",
      "sorry",
      "three",
      "did three at 2",
    ]);
  });

  it("gives back the failed turn's message, so that an empty input tries it again", async () => {
    let failures = 1;
    const agent = agentOf({}, ({ session }) => {
      if (failures-- > 0) throw new Error("no luck");
      session.addMessages(model("there"));
    });
    const failed = await agent.runText("hello?");
    expect(failed).toMatchObject({ finishReason: "failed", error: { message: "no luck" } });
    const retried = await agent.run({}, { state: failed.state! });
    expect(textsOf(retried.state)).toEqual(["hello?", "there"]);
  });
});

it("what a handler says that is no JSON fails its turn and not the process", async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const agent = agentOf({}, ({ respond }) => respond.chunk(circular as never));
  expect((await agent.runText("a")).error?.status).toBe("INVALID_ARGUMENT");
});

it("an agent needs a name, and cannot both store and carry state", async () => {
  const work = (): void => {};
  for (const name of ["", "  ", undefined, 5]) {
    const error = await errorOf(() => defineCustomAgent({ name: name as never }, work));
    expect(error.status).toBe("INVALID_ARGUMENT");
  }
});

// Says sorry for what it cannot do, and goes on.
const stubborn: AgentFunction = async ({ session }) => {
  for (let isDone = false; !isDone;) {
    try {
      await session.run((input, { turnIndex }) => {
        const text = textOf(input.message);
        if (text === "bad") throw new Error("cannot do bad");
        session.addMessages(model(`did ${text} at ${turnIndex}`));
        return { finishReason: "stop" };
      });
      isDone = true;
    } catch {
      session.addMessages(model("sorry"));
    }
  }
  return session.result();
};
