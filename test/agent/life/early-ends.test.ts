import {
  type AgentFunction,
  type AgentStreamChunk,
  buildCustomAgent,
  type LocalAgent,
  type SessionStore,
} from "turnkeep";
import { createHandler } from "turnkeep/http";
import { describe, expect, onTestFinished, test } from "vitest";
import { TEST_PLACES, testStoreOn } from "../../support/places/test-places.ts";
import { turnDeadline } from "../../support/turn-deadline.ts";
import { collect, until } from "./waiting.ts";

type Work = AgentFunction<never, never>;

function earlyAgent(
  store: SessionStore | undefined,
  work: Work,
  options: object = {},
): LocalAgent<never> {
  const agent = buildCustomAgent({ name: "early", ...(store && { store }), ...options }, work);
  onTestFinished(() => agent.close());
  return agent;
}

const THROWS: readonly (readonly [how: string, work: Work])[] = [
  [
    "throws at once",
    () => {
      throw new Error("no paper");
    },
  ],
  ["rejects", async () => await Promise.reject(new Error("no paper"))],
];

describe.each([...TEST_PLACES, undefined])("an agent's function over %s", (name) => {
  const open = (): Promise<SessionStore | undefined> =>
    name === undefined ? Promise.resolve(undefined) : testStoreOn(name);

  test.each(THROWS)("that %s answers with its error as data", async (_, work) => {
    const agent = earlyAgent(await open(), work);
    const error = { status: "INTERNAL", message: "no paper" };
    const output = await agent.runText("a");
    expect(output).toMatchObject({ finishReason: "failed", error });
    const streamed = agent.streamText("a");
    expect(await streamed.output).toMatchObject({ finishReason: "failed", error });
    // Runs of their own are for agents with a store.
    if (name === undefined) return;
    const handler = createHandler([agent], { auth: "public" });
    const response = await handler(
      new Request("http://localhost/agents/early/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: { message: { role: "user", content: [{ text: "a" }] } } }),
      }),
    );
    expect(response.ok).toBe(true);
    await response.text();
  });

  test.each(THROWS)("that %s answers so also when inputs are checked", async (_, work) => {
    const checkInput = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const agent = earlyAgent(await open(), work, { checkInput });
    expect(await agent.runText("a")).toMatchObject({ finishReason: "failed" });
  });

  test("that never asks for its input answers as its turn ended", async () => {
    const agent = earlyAgent(await open(), async () => ({ finishReason: "stop" }));
    const connection = agent.connect();
    await connection.sendText("a");
    connection.close();
    const ends = await endsOf(connection.receive());
    expect(ends).toMatchObject([{ finishReason: "aborted" }]);
    expect(await connection.output()).toMatchObject({ finishReason: "aborted" });
    if (name === undefined) return;
    const [snapshot, ...more] = await agent.listSnapshots(connection.sessionId);
    expect(more).toEqual([]);
    expect(snapshot).toMatchObject({ status: "aborted", finishReason: "aborted" });
    const late = (async function* (): AsyncGenerator<AgentStreamChunk> {
      for await (const { chunk } of agent.attach(connection.runId)) if (chunk) yield chunk;
    })();
    expect(await endsOf(late)).toEqual(ends);
  });
});

describe.each(TEST_PLACES)("the time for a turn over %s", (name) => {
  test("runs out although the agent's function never asks for its input", async () => {
    const deadline = turnDeadline();
    let signal: AbortSignal | undefined;
    const agent = earlyAgent(
      await testStoreOn(name),
      (tools) => {
        signal = tools.signal;
        return new Promise<never>(() => {});
      },
      deadline.options,
    );
    const running = agent.runText("a", { sessionId: "s" });
    await until(async () => (await agent.listSnapshots("s").catch(() => [])).length === 1);
    deadline.pass();
    const late = { finishReason: "failed", error: { status: "DEADLINE_EXCEEDED" } };
    expect(await running).toMatchObject(late);
    expect(signal?.aborted).toBe(true);
    expect(await agent.listSnapshots("s")).toMatchObject([{ status: "failed", ...late }]);
  });

  test("runs while the agent's function prepares for its input", async () => {
    const deadline = turnDeadline();
    let ask: (() => void) | undefined;
    let heard: AbortSignal | undefined;
    const agent = earlyAgent(
      await testStoreOn(name),
      async ({ session }) => {
        await new Promise<void>((resolve) => (ask = resolve));
        await session.run(async (__, { signal }) => {
          heard = signal;
          await new Promise<never>(() => {});
        });
      },
      deadline.options,
    );
    const running = agent.runText("a", { sessionId: "s" });
    await until(async () => (await agent.listSnapshots("s").catch(() => [])).length === 1);
    expect(deadline.begun()).toBe(1);
    ask?.();
    await until(() => heard !== undefined);
    // The same one: it was not set anew when the handler was called.
    expect(deadline.begun()).toBe(1);
    deadline.pass();
    expect(await running).toMatchObject({
      finishReason: "failed",
      error: { status: "DEADLINE_EXCEEDED" },
    });
    expect(heard?.aborted).toBe(true);
  });
});

async function endsOf(chunks: AsyncIterable<AgentStreamChunk>): Promise<readonly object[]> {
  return (await collect(chunks)).flatMap(({ turnEnd }) => (turnEnd ? [turnEnd] : []));
}
