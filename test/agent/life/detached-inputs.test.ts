import {
  defineCustomAgent,
  type AgentStreamChunk,
  type LocalAgent,
  type RunUpdate,
} from "turnkeep";
import { describe, expect, test } from "vitest";
import { textOf, textsOf } from "../agents.ts";
import { slowAgent } from "./slow-agent.ts";
import { databaseFile, openShared, STORES } from "./stores.ts";
import { collect, gateOf, until, untilAborted } from "./waiting.ts";

describe.each(STORES)("a detached run with several inputs, over %s", (_, createStore) => {
  test("ends each input with a turnEnd of its own; only the last names the snapshot", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, () => gate.promise);
    const { runId, snapshotId } = await detachWith(agent, ["a", "b", "c"]);
    gate.open();
    const updates = await collect(agent.attach(runId));
    expect(updates.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 3 }, () => ["chunk", "chunk", "turnEnd"]).flat(),
      "runEnd",
    ]);
    expect(endsOf(updates)).toEqual([
      { finishReason: "stop" },
      { finishReason: "stop" },
      { finishReason: "stop", snapshotId },
    ]);
    expect(await agent.listSnapshots("s")).toHaveLength(1);
  });

  test("that is aborted keeps the inputs it has finished, and what it was given besides", async () => {
    let isAtB = false;
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, async (text, { signal }) => {
      if (text === "a") await gate.promise;
      isAtB = text === "b";
      if (isAtB) await untilAborted(signal);
    });
    const first = await agent.runText("before", { sessionId: "s" });
    const { runId, snapshotId } = await detachWith(agent, ["a", "b", "c"]);
    gate.open();
    await until(() => isAtB);
    expect(await agent.abort(snapshotId)).toMatchObject({ status: "aborted" });
    const aborted = await agent.getSnapshot(snapshotId);
    expect(aborted).toMatchObject({ status: "aborted", parentId: first.snapshotId });
    expect(textsOf(aborted.state)).toEqual(["before", "re: before", "a", "re: a"]);
    const { input } = await agent.inspector.getSnapshot(snapshotId);
    expect((input as { message: never }[]).map(({ message }) => textOf(message))).toEqual([
      "b",
      "c",
    ]);
    expect(endsOf(await collect(agent.attach(runId)))).toEqual([
      { finishReason: "stop" },
      { finishReason: "aborted" },
      { finishReason: "aborted", snapshotId },
    ]);
    // Nobody goes on from what was aborted.
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(first.snapshotId);
  });

  test("goes on with the next input when one fails and the agent lives on", async () => {
    const gate = gateOf();
    const agent = defineCustomAgent(
      { name: "tough", store: await createStore() },
      async ({ session }) => {
        while (!session.hasNoMoreInputs()) {
          const running = session.run(async ({ message }) => {
            await gate.promise;
            if (textOf(message) === "b") throw new Error("no paper");
            return { finishReason: "stop" };
          });
          await running.catch(() => {});
        }
        return session.result();
      },
    );
    const { runId, snapshotId } = await detachWith(agent, ["a", "b", "c"]);
    gate.open();
    expect(await agent.waitFor(snapshotId)).toMatchObject({ status: "completed" });
    expect(
      endsOf(await collect(agent.attach(runId))).map(({ finishReason }) => finishReason),
    ).toEqual(["stop", "failed", "stop"]);
  });

  test("ends the inputs that the agent never asked for as aborted, and keeps them", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await createStore() }, async (text) => {
      await gate.promise;
      if (text === "b") throw new Error("no paper");
    });
    const { runId, snapshotId } = await detachWith(agent, ["a", "b", "c", "d"]);
    gate.open();
    const failed = await agent.waitFor(snapshotId);
    expect(failed).toMatchObject({ status: "failed", error: { message: "no paper" } });
    expect(textsOf(failed.state)).toEqual(["a", "re: a", "b"]);
    expect(endsOf(await collect(agent.attach(runId)))).toEqual([
      { finishReason: "stop" },
      { finishReason: "failed", snapshotId },
      { finishReason: "aborted" },
      { finishReason: "aborted" },
    ]);
    const { input } = await agent.inspector.getSnapshot(snapshotId);
    const texts = (input as { message: never }[]).map(({ message }) => textOf(message));
    expect(texts).toEqual(["c", "d"]);
  });
});

test("a detached run that is taken over goes on at its next input, and repeats none", async () => {
  const file = databaseFile();
  const heard: string[] = [];
  const limits = { leaseMs: 5000 };
  const paid: string[] = [];
  const options = { name: "payer", limits };
  const gate = gateOf();
  const first = paying(await openShared(file), async (text, signal) => {
    await gate.promise;
    heard.push(`first ${text}`);
    if (text === "b") await untilAborted(signal);
  });
  const { runId, snapshotId } = await detachWith(first, ["a", "b", "c"]);
  gate.open();
  await until(() => heard.includes("first b"));
  await first.close();
  const second = paying(await openShared(file), async (text) => void heard.push(`second ${text}`));
  const done = await second.waitFor(snapshotId);
  expect(textsOf(done.state)).toEqual(["a", "re: a", "b", "re: b", "c", "re: c"]);
  expect(heard).toEqual(["first a", "first b", "second b", "second c"]);
  expect(paid).toEqual(["a", "b", "c"]);
  const updates = await collect(second.attach(runId));
  expect(endsOf(updates)).toEqual([
    { finishReason: "stop" },
    { finishReason: "stop" },
    { finishReason: "stop", snapshotId },
  ]);
  await second.close();

  function paying(
    store: Awaited<ReturnType<typeof openShared>>,
    meanwhile: (text: string, signal: AbortSignal) => Promise<void>,
  ): LocalAgent {
    return defineCustomAgent({ ...options, store }, async ({ session }) => {
      await session.run(async ({ message }, turn) => {
        const text = textOf(message);
        await turn.step({ name: "pay", input: null }, () => paid.push(text));
        await meanwhile(text, turn.signal);
        session.addMessages({ role: "model", content: [{ text: `re: ${text}` }] });
        return { finishReason: "stop" };
      });
      return session.result();
    });
  }
});

async function detachWith(
  agent: LocalAgent,
  texts: readonly string[],
): Promise<{ readonly runId: string; readonly snapshotId: string }> {
  const connection = agent.connect({ sessionId: "s" });
  for (const text of texts) await connection.sendText(text);
  await connection.detach();
  const { snapshotId = "" } = await connection.output();
  return { runId: connection.runId, snapshotId };
}

function endsOf(
  updates: readonly RunUpdate[],
): readonly NonNullable<AgentStreamChunk["turnEnd"]>[] {
  return updates.flatMap(({ chunk }) => (chunk?.turnEnd ? [chunk.turnEnd] : []));
}
