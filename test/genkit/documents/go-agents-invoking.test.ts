import { defineAgent, defineCustomAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { textOf, textsOf, user } from "../../agent/agents.ts";
import { openStage } from "./document-model.ts";

// Document 001, the change that brings agents to Genkit for Go: talking to agents, going on, failing.

describe("001: Invocation patterns", () => {
  it("answers a single turn", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name });
    expect(textOf((await chat.runText("Why gophers?")).message)).toBe("answer 1");
    expect(textOf((await chat.run(user("Why gophers?"))).message)).toBe("answer 1");
  });

  it("holds a talk of several turns on one connection, and says once how it ended", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    const connection = chat.connect();
    const heard: string[] = [];
    for (const question of ["Why gophers?", "And goroutines?"]) {
      await connection.sendText(question);
      for await (const { modelChunk, turnEnd } of connection.receive()) {
        if (modelChunk) heard.push(textOf(modelChunk));
        if (turnEnd) break;
      }
    }
    expect(heard).toEqual(["answer ", "1", "answer ", "3"]);
    const output = await connection.output();
    expect(textOf(output.message)).toBe("answer 3");
    expect(await connection.output()).toBe(output);
  });

  it("closes the input side and drains what nobody received when the output is asked for", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name });
    const connection = chat.connect();
    await connection.sendText("one");
    await connection.sendText("two");
    const { finishReason, state } = await connection.output();
    expect(finishReason).toBe("stop");
    expect(textsOf(state)).toEqual(["one", "answer 1", "two", "answer 3"]);
    await expect(connection.sendText("three")).rejects.toMatchObject({
      status: "FAILED_PRECONDITION",
    });
  });
});

describe("001: Snapshots & Resumption", () => {
  it("goes on by session, by snapshot, and by both when they belong together", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    const { sessionId, snapshotId = "" } = await chat.runText("start");
    expect(await chat.listSnapshots(sessionId)).toHaveLength(1);

    const next = await chat.runText("continue", { sessionId });
    expect(model.shown).toEqual(["user: start", "model: answer 1", "user: continue"]);
    expect((await chat.getLatestSnapshot(sessionId)).snapshotId).toBe(next.snapshotId);

    // From the first snapshot again: a branch, which is the newest then.
    const branch = await chat.runText("continue otherwise", { snapshotId });
    expect(model.shown.at(-1)).toBe("user: continue otherwise");
    expect(model.shown).toHaveLength(3);
    expect((await chat.getLatestSnapshot(sessionId)).snapshotId).toBe(branch.snapshotId);

    await chat.runText("once more", { snapshotId, sessionId });
    await expect(chat.runText("wrong", { snapshotId, sessionId: "another" })).rejects.toMatchObject(
      { status: "INVALID_ARGUMENT" },
    );
  });

  it("goes on from a state that the client kept, which holds the session's id", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name });
    const first = await chat.runText("start");
    expect(first.snapshotId).toBeUndefined();
    expect(first.state?.sessionId).toBe(first.sessionId);
    const second = await chat.runText("continue", { state: first.state! });
    expect(second.sessionId).toBe(first.sessionId);
    expect(textsOf(second.state)).toEqual(["start", "answer 1", "continue", "answer 3"]);
  });

  it("refuses a start that does not fit where the state is kept", async () => {
    const { ai, model } = openStage();
    const carried = defineAgent(ai, { name: "carried", model: model.name });
    const kept = defineAgent(ai, { name: "kept", model: model.name, store: new MemoryStore() });
    const refused = { status: "FAILED_PRECONDITION" };
    await expect(kept.runText("hi", { state: {} })).rejects.toMatchObject(refused);
    await expect(carried.runText("hi", { sessionId: "s" })).rejects.toMatchObject(refused);
    await expect(carried.runText("hi", { snapshotId: "s.x" })).rejects.toMatchObject(refused);
    for (const agent of [carried, kept]) {
      const both = agent.runText("hi", { state: {}, sessionId: "s" });
      await expect(both).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
    }
    expect(model.requests).toEqual([]);
  });

  it("does not go on from a turn that was aborted or still runs", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store: new MemoryStore() });
    model.will(() => new Promise(() => {}));
    const { snapshotId, abort } = await chat.detach(user("think"), { sessionId: "s" });
    // The answer is a failed one and Go's status another: INVALID_ARGUMENT, as Genkit for JavaScript has it.
    const refused = { finishReason: "failed", error: { status: "INVALID_ARGUMENT" } };
    expect(await chat.runText("and?", { snapshotId, onBusy: "queue" })).toMatchObject(refused);
    await abort();
    expect(await chat.runText("and?", { snapshotId })).toMatchObject(refused);
  });
});

describe("001: Failure handling", () => {
  it("answers a failed turn with the error and where to go on", async () => {
    const { ai, model } = openStage();
    const store = new MemoryStore();
    const chat = defineAgent(ai, { name: "chat", model: model.name, store });
    const good = await chat.runText("hello", { sessionId: "s" });
    model.will(Object.assign(new Error("no line to the model"), { status: "UNAVAILABLE" }));
    const failed = await chat.runText("are you there?", { sessionId: "s" });
    expect(failed).toMatchObject({
      finishReason: "failed",
      error: { status: "UNAVAILABLE", message: "no line to the model" },
    });
    // Failed turns are kept here, with their input: an empty input tries again. Go keeps none and names the turn before.
    expect(failed.snapshotId).not.toBe(good.snapshotId);
    expect((await chat.getSnapshot(failed.snapshotId!)).status).toBe("failed");
    const retried = await chat.run({}, { sessionId: "s" });
    expect(textOf(retried.message)).toBe("answer 3");
    expect(model.shown.at(-1)).toBe("user: are you there?");
    // Leaving the failed turn out works as well.
    await chat.runText("never mind", { snapshotId: good.snapshotId! });
    expect(model.shown).toEqual(["user: hello", "model: answer 1", "user: never mind"]);
  });

  it("gives the client its last good state back", async () => {
    const { ai, model } = openStage();
    const chat = defineAgent(ai, { name: "chat", model: model.name });
    const good = await chat.runText("hello");
    model.will(new Error("no"));
    const failed = await chat.runText("again", { state: good.state! });
    expect(failed).toMatchObject({ finishReason: "failed", error: { status: "INTERNAL" } });
    // With the message that could not be answered, so that an empty input tries again.
    expect(textsOf(failed.state)).toEqual(["hello", "answer 1", "again"]);
    expect((await chat.run({}, { state: failed.state! })).finishReason).toBe("stop");
  });

  it("lets a custom agent swallow the error and take the next input", async () => {
    const { ai, model } = openStage();
    const stubborn = defineCustomAgent(ai, { name: "stubborn" }, async ({ session }) => {
      const answer = async (): Promise<void> =>
        await session.run(async () => {
          const { text } = await ai.generate({ model: model.name, prompt: "anything" });
          session.addMessages({ role: "model", content: [{ text }] });
        });
      await answer().catch(answer);
      return session.result();
    });
    model.will(new Error("stumbled"), "standing again");
    const connection = stubborn.connect();
    await connection.sendText("one");
    await connection.sendText("two");
    const reasons: unknown[] = [];
    for await (const { turnEnd } of connection.receive()) {
      if (turnEnd) reasons.push(turnEnd.finishReason);
      if (reasons.length === 2) break;
    }
    const output = await connection.output();
    expect(reasons).toEqual(["failed", undefined]);
    expect(textOf(output.message)).toBe("standing again");
    expect(output.error).toBeUndefined();
  });
});
