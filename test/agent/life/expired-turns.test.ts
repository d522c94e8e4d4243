import type { LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { textsOf, user } from "../agents.ts";
import { remoteOf } from "../../streams/paths.ts";
import { slowAgent } from "./slow-agent.ts";
import { sleep, until, untilAborted } from "./waiting.ts";

const LEASE_MS = 300;

describe.each([
  ["in this process", (agent: LocalAgent) => agent],
  ["behind HTTP", (agent: LocalAgent) => remoteOf(agent)],
] as const)("waiting %s for a turn whose worker has been silent for long", (_, at) => {
  test("goes on until the turn has ended, while it is shown as expired", async () => {
    const { agent, snapshotId, takeOver } = await silent();
    const reader = at(agent);
    expect(await reader.getSnapshot(snapshotId)).toMatchObject({ status: "expired" });
    const waiting = reader.waitFor(snapshotId);
    const output = reader.getOutput(snapshotId);
    expect(await Promise.race([waiting, output, sleep(30, "still waiting")])).toBe("still waiting");
    await takeOver();
    const ended = await waiting;
    expect(ended).toMatchObject({ status: "completed" });
    expect(textsOf(ended.state)).toEqual(["a", "re: a"]);
    expect(await output).toMatchObject({ finishReason: "stop", snapshotId });
  });

  test("ends when its caller wants to wait no longer", async () => {
    const { agent, snapshotId } = await silent();
    const caller = new AbortController();
    const waiting = at(agent).waitFor(snapshotId, { signal: caller.signal });
    caller.abort(new Error("bored"));
    await expect(waiting).rejects.toThrow("bored");
  });
});

/** A detached turn that nobody has worked on for long, and somebody who could. */
async function silent(): Promise<{
  readonly agent: LocalAgent;
  readonly snapshotId: string;
  readonly takeOver: () => Promise<void>;
}> {
  let now = Date.now();
  const store = new MemoryStore({ clock: { now: () => now } });
  let hasBegun = false;
  const limits = { leaseMs: 60_000 };
  const dead = slowAgent({ store, limits }, async (__, { signal }) => {
    hasBegun = true;
    await untilAborted(signal);
  });
  const agent = slowAgent({ store, limits: { leaseMs: LEASE_MS } });
  await dead.startWorker().stop();
  const desk = await agent.takeWorkDesk();
  const { snapshotId } = await dead.detach(user("a"), { sessionId: "s" });
  await until(() => hasBegun);
  now += limits.leaseMs + 4 * LEASE_MS;
  return {
    agent,
    snapshotId,
    takeOver: async () => {
      const [key] = await desk.findDue(1);
      expect(key && (await desk.take(key))).toMatchObject({ kind: "taken" });
    },
  };
}
