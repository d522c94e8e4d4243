import { type LocalAgent, type SessionStore } from "turnkeep";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { behindHttp } from "../../client/remote.ts";
import { WIDE } from "../../http/serving.ts";
import { testStoreOn } from "../../support/places/test-places.ts";
import { agentOf } from "../authoring/turns.ts";
import { collect, gateOf, until, untilAborted } from "./waiting.ts";

const warnings: string[] = [];
const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);

beforeEach(() => {
  warnings.length = 0;
  process.on("warning", note);
});

afterEach(async () => {
  // Node tells of them when the event loop turns.
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("warning", note);
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
});

const MANY = Array.from({ length: 30 }, (_, index) => `s-${index}`);

const PLACES = [
  ["with a store", () => testStoreOn("memory")],
  ["without one", async () => undefined],
] as const;

describe.each(PLACES)("many runs at once of an agent %s that reads its signals", (_, open) => {
  test("warn of no listeners", async () => {
    const gate = gateOf();
    let begun = 0;
    const agent = attentive(await open(), async () => {
      begun += 1;
      await gate.promise;
    });
    const running = MANY.map((sessionId) => agent.runText("go", startOf(agent, sessionId)));
    await until(() => begun === MANY.length);
    gate.open();
    const outputs = await Promise.all(running);
    expect(outputs.every(({ finishReason }) => finishReason === "stop")).toBe(true);
  });

  test("share one caller's signal without a warning, and all end when it aborts", async () => {
    const caller = new AbortController();
    const { signal } = caller;
    let begun = 0;
    const agent = attentive(await open(), async (turn) => {
      begun += 1;
      await untilAborted(turn);
    });
    const running = MANY.map((sessionId) =>
      agent.runText("go", { ...startOf(agent, sessionId), signal }),
    );
    await until(() => begun === MANY.length);
    caller.abort();
    const outputs = await Promise.all(running);
    expect(outputs.every(({ finishReason }) => finishReason === "aborted")).toBe(true);
  });
});

test("many readers share one signal without a warning", async () => {
  const gate = gateOf();
  const reader = new AbortController();
  const { signal } = reader;
  const agent = attentive(await testStoreOn("memory"), () => gate.promise);
  const connection = agent.connect({ sessionId: "s" });
  await connection.sendText("go");
  connection.close();
  const reading = MANY.map(() => collect(agent.attach(connection.runId, { signal })));
  const [pending] = await agent.listSnapshots("s");
  const waiting = MANY.map(() => agent.waitFor(pending?.snapshotId ?? "", { signal }));
  gate.open();
  const all = await Promise.all(reading);
  expect(all.every((updates) => updates.at(-1)?.type !== undefined)).toBe(true);
  await Promise.all(waiting);
  await connection.output();
});

test("many remote runs share one caller's signal without a warning", async () => {
  const caller = new AbortController();
  const { signal } = caller;
  let begun = 0;
  const agent = await behindHttp(
    attentive(await testStoreOn("memory"), async (turn) => {
      begun += 1;
      await untilAborted(turn);
    }),
    { serving: { limits: { ...WIDE, streams: MANY.length } } },
  );
  const running = MANY.map((sessionId) => agent.runText("go", { sessionId, signal }));
  await until(() => begun === MANY.length);
  caller.abort();
  const outputs = await Promise.all(running);
  expect(outputs.every(({ finishReason }) => finishReason === "aborted")).toBe(true);
});

function startOf(agent: LocalAgent, sessionId: string): object {
  return agent.store ? { sessionId } : {};
}

/** Reads the signal of its run and that of its turn. */
function attentive(
  store: SessionStore | undefined,
  meanwhile: (signal: AbortSignal) => Promise<void>,
): LocalAgent {
  return agentOf(store ? { store } : {}, async ({ signal, respond }, turn) => {
    signal.throwIfAborted();
    respond.text("hm");
    await meanwhile(turn.signal);
    return { finishReason: "stop" };
  });
}
