import { describe, expect, it } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { workshop } from "./workshop.ts";

describe.each(STORES)("rounds of tools over %s", (_, openStore) => {
  it("are saved one by one where the policy asks for it", async () => {
    const { agent, model } = workshop({
      store: await openStore(),
      snapshotWhen: ["turnEnd", "toolRound"],
      tools: { look: (input) => `saw ${String(input)}` },
    });
    model
      .asksFor({ name: "look", input: 1 }, { name: "look", input: 2 })
      .asksFor({ name: "look", input: 3 })
      .says("ok");
    const { snapshotId, snapshotIds } = await agent.runText("hi", { sessionId: "s" });
    const listed = await agent.listSnapshots("s", { withState: true });
    expect(listed.map((snapshot) => snapshot.snapshotId)).toEqual(snapshotIds);
    expect(listed.map(({ event }) => event)).toEqual(["tool-round", "tool-round", "turn-end"]);
    expect(listed.at(-1)?.snapshotId).toBe(snapshotId);
    const roles = listed.map(({ state }) => state?.messages?.map(({ role }) => role));
    const first = ["user", "model", "tool"];
    expect(roles).toEqual([
      first,
      [...first, "model", "tool"],
      [...first, "model", "tool", "model"],
    ]);
  });

  it("go on from one of them, as a branch", async () => {
    const { agent, model } = workshop({
      store: await openStore(),
      snapshotWhen: ["turnEnd", "toolRound"],
      tools: { look: () => "seen" },
    });
    model.asksFor({ name: "look" }).says("ok").says("another end");
    const { snapshotIds = [] } = await agent.runText("hi", { sessionId: "s" });
    const output = await agent.run({}, { snapshotId: snapshotIds[0]! });
    expect(output.message?.content[0]?.text).toBe("another end");
    const { parentId, state } = await agent.getSnapshot(output.snapshotId!);
    expect(parentId).toBe(snapshotIds[0]);
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });

  it("are saved when they are settled by a person's answer", async () => {
    const { agent, model } = workshop({
      store: await openStore(),
      snapshotWhen: ["turnEnd", "toolRound"],
      tools: { ask: (_input, { resumed, interrupt }) => (resumed ? "asked" : interrupt()) },
    });
    model.asksFor({ name: "ask" }).says("ok");
    const waiting = await agent.runText("hi", { sessionId: "s" });
    expect(waiting).toMatchObject({ finishReason: "interrupted" });
    const [part] = waiting.message?.content ?? [];
    const { toolRequest = { name: "none" } } = part ?? {};
    const restart = [{ toolRequest, metadata: { resumed: true } }];
    const output = await agent.run({ resume: { restart } }, { sessionId: "s" });
    expect(output.finishReason).toBe("stop");
    const events = (await agent.listSnapshots("s")).map(({ event }) => event);
    expect(events).toEqual(["turn-end", "tool-round", "turn-end"]);
  });

  it("are not saved by default", async () => {
    const { agent, model } = workshop({ store: await openStore(), tools: { look: () => "seen" } });
    model.asksFor({ name: "look" }).says("ok");
    const { snapshotIds, snapshotId } = await agent.runText("hi", { sessionId: "s" });
    expect(snapshotIds).toEqual([snapshotId]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });
});
