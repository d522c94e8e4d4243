import { genkit } from "genkit";
import { toJsonSchema } from "genkit/schema";
import { defineCustomAgent } from "turnkeep/genkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { refusalOf, registered } from "./registered.ts";
import { memory, talker } from "./talker.ts";

describe("an agent's companions", () => {
  test("read snapshots by id and by session, and the whole session", async () => {
    const { ai, agent } = talker(memory());
    const { snapshotId } = await agent.runText("a", { sessionId: "s" });
    await agent.runText("b", { sessionId: "s" });
    for (const key of ["/agent-snapshot/talker", "/snapshot-store/talker/getSnapshot"]) {
      const read = await registered(ai, key);
      expect(await read({ snapshotId })).toEqual(await agent.getSnapshot(snapshotId!));
      expect(await read({ snapshotId, sessionId: "s" })).toMatchObject({ snapshotId });
      expect(await read({ sessionId: "s" })).toEqual(await agent.getLatestSnapshot("s"));
      expect(await refusalOf(() => read({ snapshotId, sessionId: "t" }))).toMatchObject({
        status: "NOT_FOUND",
      });
    }
    const list = await registered(ai, "/snapshot-store/talker/listSnapshots");
    const [first, ...rest] = await agent.listSnapshots("s", { withState: true });
    expect(await list({ sessionId: "s" })).toEqual([first, ...rest]);
    expect(first?.state?.messages).not.toHaveLength(0);
    expect(await list({ sessionId: "s", limit: 1 })).toEqual([first]);
    expect(await list({ sessionId: "s", after: first?.snapshotId })).toEqual(rest);
  });

  test.each([
    ["/agent-snapshot/talker", {}, "INVALID_ARGUMENT"],
    ["/agent-snapshot/talker", null, "INVALID_ARGUMENT"],
    ["/agent-snapshot/talker", { snapshotId: 5 }, "INVALID_ARGUMENT"],
    ["/agent-snapshot/talker", { snapshotId: "s.nothing" }, "NOT_FOUND"],
    ["/agent-snapshot/talker", { sessionId: "nobody" }, "NOT_FOUND"],
    ["/snapshot-store/talker/listSnapshots", {}, "INVALID_ARGUMENT"],
    ["/agent-abort/talker", {}, "INVALID_ARGUMENT"],
    ["/agent-abort/talker", undefined, "INVALID_ARGUMENT"],
  ])("refuse %s of %j with %s", async (key, request, status) => {
    const { ai } = talker(memory());
    const action = await registered(ai, key);
    expect(await refusalOf(() => action(request))).toMatchObject({ name: "GenkitError", status });
  });

  test("abort a turn, and say nothing of one that nobody knows", async () => {
    const { ai, agent, waits, reasons } = talker(memory());
    const running = agent.runText("wait", { sessionId: "s" });
    await waits;
    const [{ snapshotId } = { snapshotId: "" }] = await agent.listSnapshots("s");
    const abort = await registered(ai, "/agent-abort/talker");
    expect(await abort({ snapshotId })).toEqual({ snapshotId, status: "aborted" });
    expect(await running).toMatchObject({ finishReason: "aborted" });
    expect(reasons).toHaveLength(1);
    expect(await abort({ snapshotId: "s.nothing" })).toEqual({ snapshotId: "s.nothing" });
  });

  test("wait for a turn in the background", async () => {
    const { ai, agent } = talker(memory());
    const wait = await registered(ai, "/snapshot-store/talker/waitForSnapshot");
    const { snapshotId } = await agent.detach({
      message: { role: "user", content: [{ text: "a" }] },
    });
    expect(await wait({ snapshotId })).toMatchObject({ snapshotId, status: "completed" });
    expect(await refusalOf(() => wait({}))).toMatchObject({ status: "INVALID_ARGUMENT" });
    expect(await refusalOf(() => wait({ snapshotId: "s.nothing" }))).toMatchObject({
      status: "NOT_FOUND",
    });
  });

  test("are members of the agent, and say what they take and return", async () => {
    const { ai, agent } = talker(memory());
    const { getSnapshotAction, abortAction, waitForSnapshotAction } = agent;
    for (const [key, action] of [
      ["/agent-snapshot/talker", getSnapshotAction],
      ["/agent-abort/talker", abortAction],
      ["/snapshot-store/talker/waitForSnapshot", waitForSnapshotAction],
    ] as const) {
      expect(await registered(ai, key)).toBe(action);
      for (const schema of [action?.__action.inputSchema, action?.__action.outputSchema]) {
        expect(toJsonSchema({ schema: schema as never })).toMatchObject({
          type: "object",
          properties: { snapshotId: { type: "string" } },
        });
      }
    }
    const { snapshotId } = await agent.runText("a", { sessionId: "s" });
    expect(await getSnapshotAction!({ sessionId: "s" })).toMatchObject({ snapshotId });
  });

  test("are not there without a store", () => {
    const { agent } = talker(undefined);
    expect(agent.getSnapshotAction).toBeUndefined();
    expect(agent.abortAction).toBeUndefined();
    expect(agent.waitForSnapshotAction).toBeUndefined();
  });

  test("show what the agent shows to whom the context names", async () => {
    const ai = genkit({});
    const agent = defineCustomAgent(
      ai,
      {
        name: "talker",
        store: memory(),
        transformState: (state, { auth }) =>
          auth === "owner" ? state : { ...state, messages: [] },
      },
      async ({ session }) => {
        await session.run(() => {});
      },
    );
    onTestFinished(() => agent.close());
    const { snapshotId } = await agent.runText("secret", { sessionId: "s" });
    const read = await registered(ai, "/agent-snapshot/talker");
    const shown = async (auth: string): Promise<unknown> =>
      (await read({ snapshotId }, { context: { auth } })).state?.messages;
    expect(await shown("owner")).toHaveLength(1);
    expect(await shown("stranger")).toEqual([]);
  });
});
