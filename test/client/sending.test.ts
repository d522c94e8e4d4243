import type { LocalAgent, SessionStore } from "turnkeep";
import type { RemoteAgent } from "turnkeep/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { echoAgent, textOf, textsOf, user } from "../agent/agents.ts";
import { testStoreOn } from "../support/places/test-places.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { behindHttp } from "./remote.ts";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});

afterEach(async () => {
  // Node tells of it when the event loop turns.
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  if (unhandled.length > 0) throw new AggregateError(unhandled, "Rejections nobody handled.");
});

type Place = (agent: LocalAgent) => Promise<Pick<RemoteAgent, "connect" | "getLatestSnapshot">>;

const PLACES: readonly (readonly [name: string, at: Place])[] = [
  ["in this process", async (agent) => agent],
  ["behind HTTP", (agent) => behindHttp(agent)],
];

describe.each(PLACES)("a connection %s", (_, at) => {
  const place = async (make: (store: SessionStore) => LocalAgent): ReturnType<Place> =>
    await at(make(await testStoreOn("memory")));

  test("accepts what was sent before it was closed, whether or not somebody waited", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const connection = agent.connect({ sessionId: "s" });
    void connection.sendText("a");
    connection.close();
    expect(textOf((await connection.output()).message)).toBe("A");
  });

  test("takes inputs in the order they were sent, whoever waits for what", async () => {
    const agent = await place((store) =>
      agentOf({ store, checkInput: slowForFirst() }, ({ session }, __, text) => {
        session.addMessages({ role: "model", content: [{ text: `re: ${text}` }] });
      }),
    );
    const connection = agent.connect({ sessionId: "s" });
    for (const text of ["a", "b", "c"]) void connection.sendText(text);
    await connection.output();
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state)).toEqual(["a", "re: a", "b", "re: b", "c", "re: c"]);
  });

  test("reports an input that was refused as its output, where nobody waited for it", async () => {
    const gate = gateOf();
    const agent = await place((store) => slowAgent({ store }, () => gate.promise));
    const busy = agent.connect({ sessionId: "s" });
    await busy.sendText("a");
    const connection = agent.connect({ sessionId: "s" });
    void connection.sendText("b");
    await expect(connection.output()).rejects.toMatchObject({ reason: "SESSION_BUSY" });
    gate.open();
    expect((await busy.output()).finishReason).toBe("stop");
  });

  test("ends a loop that waits for the turn of an input that was refused", async () => {
    const gate = gateOf();
    const agent = await place((store) => slowAgent({ store }, () => gate.promise));
    const busy = agent.connect({ sessionId: "s" });
    await busy.sendText("a");
    const connection = agent.connect({ sessionId: "s" });
    void connection.sendText("b");
    const reading = (async () => {
      for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    })();
    await expect(reading).rejects.toMatchObject({ reason: "SESSION_BUSY" });
    gate.open();
    await busy.output();
  });

  test("says nothing more of a refusal that somebody waited for", async () => {
    const gate = gateOf();
    const agent = await place((store) =>
      slowAgent({ store }, (text) => (text === "a" ? gate.promise : undefined)),
    );
    const busy = agent.connect({ sessionId: "s" });
    await busy.sendText("a");
    const connection = agent.connect({ sessionId: "s" });
    await expect(connection.sendText("b")).rejects.toMatchObject({ reason: "SESSION_BUSY" });
    gate.open();
    await busy.output();
    await connection.sendText("b");
    expect(textOf((await connection.output()).message)).toBe("re: b");
  });

  test("refuses what is sent after it was closed", async () => {
    const agent = await place((store) => echoAgent({ store }));
    const connection = agent.connect({ sessionId: "s" });
    void connection.sendText("a");
    connection.close();
    await expect(connection.sendText("b")).rejects.toMatchObject({ reason: "RUN_OVER" });
    expect(textOf((await connection.output()).message)).toBe("A");
  });

  test("tells how the run failed rather than that it took no more inputs", async () => {
    const agent = await place((store) =>
      slowAgent({ store }, (text) => {
        if (text === "a") throw new Error("no paper");
      }),
    );
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    for await (const { turnEnd } of connection.receive()) if (turnEnd) break;
    connection.close();
    void connection.sendText("b");
    expect(await connection.output()).toMatchObject({ finishReason: "failed" });
  });

  test("detaches with all that was sent, whether or not somebody waited", async () => {
    const gate = gateOf();
    const agent = await place((store) => slowAgent({ store }, () => gate.promise));
    const connection = agent.connect({ sessionId: "s" });
    void connection.sendText("a");
    void connection.detach();
    const { finishReason, snapshotId } = await connection.output();
    expect(finishReason).toBe("detached");
    expect(snapshotId).toBeDefined();
    gate.open();
  });
});

test("a malformed input that nobody waited for is reported too", async () => {
  const agent = echoAgent({ store: await testStoreOn("memory") });
  const connection = agent.connect({ sessionId: "s" });
  void connection.send({ message: "hi" } as never);
  await expect(connection.output()).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
});

test("to detach a turn that runs is no input: it has no turnEnd of its own", async () => {
  const gate = gateOf();
  const agent = slowAgent({ store: await testStoreOn("memory") }, () => gate.promise);
  const connection = agent.connect({ sessionId: "s" });
  await connection.send(user("a"));
  await connection.send({ detach: true });
  gate.open();
  const types: string[] = [];
  for await (const { type } of agent.attach(connection.runId)) types.push(type);
  expect(types).toEqual(["chunk", "chunk", "turnEnd", "runEnd"]);
});

// Whatever is checked may take its time; the order of inputs is that of their senders.
function slowForFirst(): () => Promise<void> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  };
}
