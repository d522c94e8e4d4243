import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textsOf, user } from "../../agent/agents.ts";
import { openStage } from "./document-model.ts";

// Document 001, the change that brings agents to Genkit for Go: turns that nobody waits for.

/** A gate that a model's answer waits at. */
function gate(): { readonly wait: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { wait, open };
}

describe("001: Background Agents", () => {
  it("takes over what was sent when the client lets go, and names the snapshot it will end in", async () => {
    const { ai, model } = openStage();
    const store = new MemoryStore();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store });
    const { wait, open } = gate();
    model.will(async () => await wait.then(() => "the report"), "and sent");
    const connection = chat.connect({ sessionId: "s" });
    await connection.sendText("write a report");
    await connection.sendText("and send it to me");
    await connection.detach();
    const { finishReason, snapshotId = "" } = await connection.output();
    expect(finishReason).toBe("detached");

    const pending = await chat.getSnapshot(snapshotId);
    expect(pending).toMatchObject({ snapshotId, status: "pending" });
    // It shows no state yet.
    expect(pending.state).toBeUndefined();

    open();
    const done = await chat.waitFor(snapshotId);
    expect(done).toMatchObject({ snapshotId, status: "completed", finishReason: "stop" });
    expect(textsOf(done.state)).toEqual([
      "write a report",
      "the report",
      "and send it to me",
      "and sent",
    ]);
    // Both turns are in that one snapshot, from which the talk goes on.
    expect(await chat.listSnapshots("s")).toHaveLength(1);
    await chat.runText("thanks", { snapshotId });
    expect(model.shown.at(-1)).toBe("user: thanks");
    expect(model.shown).toHaveLength(5);
  });

  it("detaches a single turn by a word in its input", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    const { finishReason, snapshotId = "" } = await chat.run({ ...user("later"), detach: true });
    expect(finishReason).toBe("detached");
    expect((await chat.waitFor(snapshotId)).status).toBe("completed");
    // The same, shorter.
    const { wait } = await chat.detach(user("later"));
    expect((await wait()).status).toBe("completed");
  });

  it("tells each status by reading the snapshot, and aborts what is pending", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    model.will("fine", new Error("out of ink"), () => new Promise(() => {}));
    const statusOf = async (snapshotId: string): Promise<string | undefined> =>
      (await chat.getSnapshot(snapshotId)).status;

    const completed = await chat.detach(user("one"), { sessionId: "one" });
    await completed.wait();
    expect(await statusOf(completed.snapshotId)).toBe("completed");

    const failed = await chat.detach(user("two"), { sessionId: "two" });
    expect(await failed.wait()).toMatchObject({
      status: "failed",
      error: { status: "INTERNAL", message: "out of ink" },
    });

    const aborted = await chat.detach(user("three"), { sessionId: "three" });
    expect(await statusOf(aborted.snapshotId)).toBe("pending");
    expect((await chat.getLatestSnapshot("three")).snapshotId).toBe(aborted.snapshotId);
    expect(await chat.abort(aborted.snapshotId)).toEqual({
      previousStatus: "pending",
      status: "aborted",
    });
    expect(await statusOf(aborted.snapshotId)).toBe("aborted");

    // What is over stays as it is, and what never was is no error.
    expect(await chat.abort(completed.snapshotId)).toMatchObject({ status: "completed" });
    expect(await chat.abort("three.nothing")).toEqual({});
    // There is no expired snapshot here: a turn whose worker went silent is taken over by another.
  });

  it("calls the snapshot to go on from the latest, also while another is pending", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    const { snapshotId } = await chat.runText("one", { sessionId: "s" });
    model.will(() => new Promise(() => {}));
    const pending = await chat.detach(user("two"), { sessionId: "s" });
    // Go calls the newest the latest, whatever its status. The list shows both.
    expect((await chat.getLatestSnapshot("s")).snapshotId).toBe(snapshotId);
    const listed = await chat.listSnapshots("s");
    expect(listed.map(({ status }) => status)).toEqual(["completed", "pending"]);
    await pending.abort();
  });

  it("tells the model that nobody wants its answer any more", async () => {
    const { ai } = openStage();
    const [asked, told] = [gate(), gate()];
    ai.defineModel({ apiVersion: "v2", name: "slow" }, async (_, { abortSignal }) => {
      abortSignal?.addEventListener("abort", told.open);
      asked.open();
      return await new Promise(() => {});
    });
    const chat = defineAgent(ai, { name: "chat", model: "slow", store: new MemoryStore() });
    const { abort, wait } = await chat.detach(user("think"));
    await asked.wait;
    await abort();
    await told.wait;
    expect((await wait()).finishReason).toBe("aborted");
  });

  it("needs a store, where others can see the turn", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name });
    // Every store of ours can tell of an abort, so there is no store without.
    await expect(chat.run({ ...user("later"), detach: true })).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
  });
});

describe("001: Supporting core additions", () => {
  it("gives the output at once after the client let go, though the run goes on", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    model.will(() => new Promise(() => {}));
    const connection = chat.connect();
    await connection.sendText("think");
    await connection.detach();
    const output = await connection.output();
    expect(output).toEqual({
      sessionId: connection.sessionId,
      snapshotId: expect.any(String),
      finishReason: "detached",
    });
    await chat.abort(output.snapshotId!);
  });
});
