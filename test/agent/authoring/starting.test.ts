import fc from "fast-check";
import type { CallOptions } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent, textsOf, user } from "../agents.ts";
import { STORES } from "./stores.ts";
import { agentOf, errorOf } from "./turns.ts";

const NO_STORE = (field: string): string =>
  `Cannot use '${field}' with agent 'echo': this agent has no store configured (client-managed state). Send 'state' instead.`;
const HAS_STORE =
  "Cannot send 'state' to agent 'echo': this agent uses a server-managed store. Send 'snapshotId' or 'sessionId' instead.";

describe("starting where the agent cannot", () => {
  it.each<[string, CallOptions, string]>([
    ["a session id without a store", { sessionId: "s" }, NO_STORE("sessionId")],
    ["a snapshot id without a store", { snapshotId: "s.1" }, NO_STORE("snapshotId")],
    [
      "both ids without a store: the snapshot is named",
      { sessionId: "s", snapshotId: "t.1" },
      NO_STORE("snapshotId"),
    ],
    ["a state with a store", { state: {} }, HAS_STORE],
  ])("throws for %s", async (_, options, message) => {
    const agent = echoAgent(message === HAS_STORE ? { store: new MemoryStore() } : {});
    for (const start of [
      () => agent.runText("hi", options),
      () => agent.run(user("hi"), options),
      () => agent.streamText("hi", options).output,
      () => agent.connect(options),
      () => agent.detach(user("hi"), options),
    ]) {
      const error = await errorOf(start);
      expect(error).toMatchObject({ status: "FAILED_PRECONDITION", message });
    }
  });

  it.each([
    [{ state: {}, sessionId: "s" }, "sessionId"],
    [{ state: {}, snapshotId: "s.1" }, "snapshotId"],
    [{ state: {}, sessionId: "s", snapshotId: "t.1" }, "snapshotId"],
  ])("refuses a state together with an id, with a store or without: %j", async (options, id) => {
    for (const agent of [echoAgent(), echoAgent({ store: new MemoryStore() })]) {
      for (const start of [
        () => agent.runText("hi", options),
        () => agent.connect(options),
        () => agent.detach(user("hi"), options),
      ]) {
        expect(await errorOf(start)).toMatchObject({
          status: "INVALID_ARGUMENT",
          message: `Cannot send 'state' and '${id}' together to agent 'echo'. Send one of them; the state names its session itself.`,
        });
      }
    }
  });

  it("checks the input before the start", async () => {
    const error = await errorOf(() =>
      echoAgent().run({ message: "hi" } as never, { sessionId: "s" }),
    );
    expect(error.status).toBe("INVALID_ARGUMENT");
  });

  it("refuses to detach without a store", async () => {
    const agent = echoAgent();
    const message = "Detach is only supported when a session store is provided.";
    for (const start of [
      () => agent.detach(user("hi")),
      () => agent.run({ ...user("hi"), detach: true }),
      () => agent.connect().detach(),
    ]) {
      expect(await errorOf(start)).toMatchObject({ status: "FAILED_PRECONDITION", message });
    }
  });

  it.each<[string, unknown]>([
    ["no object", "x"],
    ["a list", []],
    ["messages that are no list", { messages: {} }],
    ["a message without a role", { messages: [{ content: [] }] }],
    ["a blank session id", { sessionId: 5 }],
    ["artifacts without parts", { artifacts: [{}] }],
  ])("throws for a state with %s", async (_, state) => {
    const error = await errorOf(() => echoAgent().runText("hi", { state: state as never }));
    expect(error.status).toBe("INVALID_ARGUMENT");
  });

  it("takes back every state it gave out, however long its texts are", async () => {
    const agent = agentOf({}, ({ session }) => {
      session.addMessages({ role: "model", content: [{ text: "x".repeat(300_000) }] });
    });
    const { state } = await agent.runText("a");
    const output = await agent.runText("b", { state: state! });
    expect(output.state?.messages).toHaveLength(4);
  });
});

describe.each(STORES)("starting at a snapshot over %s", (_, openStore) => {
  it("throws when the snapshot is another session's", async () => {
    const agent = echoAgent({ store: await openStore() });
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s" });
    const error = await errorOf(() => agent.runText("b", { snapshotId, sessionId: "t" }));
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: `Snapshot ${snapshotId} does not belong to session t (it belongs to s).`,
    });
  });

  it("starts a session of any name", async () => {
    const agent = echoAgent({ store: await openStore() });
    for (const sessionId of ["my-app-session-123", "user 42/ü", "x-odd", "a.b", " padded "]) {
      const output = await agent.runText("a", { sessionId });
      expect(output).toMatchObject({ sessionId, finishReason: "stop" });
      const next = await agent.runText("b", { snapshotId: output.snapshotId! });
      expect(next.sessionId).toBe(sessionId);
      expect(textsOf((await agent.getLatestSnapshot(sessionId)).state)).toHaveLength(4);
    }
  });

  it.each(["", "  ", "a".repeat(513), "ü".repeat(257), "a\0b", "\uD800"])(
    "throws for a session named %j",
    async (sessionId) => {
      const agent = echoAgent({ store: await openStore() });
      const error = await errorOf(() => agent.runText("a", { sessionId }));
      expect(error.status).toBe("INVALID_ARGUMENT");
    },
  );

  it("fails gracefully, and alike, where there is no such snapshot", async () => {
    const store = await openStore();
    const agent = echoAgent({ store });
    const own = await agent.runText("a", { sessionId: "s" });
    const foreign = await agent.runText("a", { sessionId: "f", tenant: "other" });
    for (const snapshotId of [
      "s.missing",
      "no-such-session.1",
      foreign.snapshotId!,
      "malformed",
      "",
      "x-IA.d",
    ]) {
      const output = await agent.runText("b", { snapshotId });
      expect(output).toEqual({
        sessionId: expect.any(String) as string,
        finishReason: "failed",
        error: {
          status: "NOT_FOUND",
          message: `Snapshot ${snapshotId} not found`,
          details: { snapshotId },
        },
      });
    }
    expect(await agent.listSnapshots("s")).toHaveLength(1);
    expect((await agent.listSessions()).sessions).toHaveLength(1);
    expect((await agent.runText("b", { snapshotId: own.snapshotId! })).finishReason).toBe("stop");
  });

  it("fails gracefully for whatever text is given as a snapshot", async () => {
    const agent = echoAgent({ store: await openStore() });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (snapshotId) => {
        const { finishReason, error } = await agent.runText("b", { snapshotId });
        expect(finishReason).toBe("failed");
        expect(error).toMatchObject({
          status: "NOT_FOUND",
          message: `Snapshot ${snapshotId} not found`,
        });
      }),
      { numRuns: 40 },
    );
    expect((await agent.listSessions()).sessions).toEqual([]);
  });

  it("fails gracefully at one that is pending or aborted", async () => {
    const agent = agentOf({ store: await openStore() }, async (_tools, { signal }) => {
      await new Promise((__, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    });
    const { snapshotId, abort, wait } = await agent.detach(user("go"), { sessionId: "s" });
    expect(await agent.runText("b", { snapshotId })).toMatchObject(
      notResumable("pending", "Wait for its turn to end."),
    );
    await abort();
    await wait();
    expect(await agent.runText("b", { snapshotId })).toMatchObject(
      notResumable("aborted", "Resume its parent instead."),
    );

    function notResumable(status: string, advice: string): object {
      const message = `Snapshot ${snapshotId} is not resumable (status: ${status}). Completed and failed snapshots can be resumed. ${advice}`;
      return { finishReason: "failed", error: { status: "INVALID_ARGUMENT", message } };
    }
  });

  it("tells streams and connections the same", async () => {
    const agent = echoAgent({ store: await openStore() });
    const connection = agent.connect({ snapshotId: "s.missing" });
    await connection.sendText("hi");
    for await (const chunk of connection.receive()) expect.unreachable(JSON.stringify(chunk));
    expect((await connection.output()).error?.status).toBe("NOT_FOUND");
    const { output } = agent.streamText("hi", { snapshotId: "s.missing" });
    expect((await output).error?.status).toBe("NOT_FOUND");
    const error = await errorOf(() => agent.detach(user("hi"), { snapshotId: "s.missing" }));
    expect(error.status).toBe("NOT_FOUND");
  });
});
