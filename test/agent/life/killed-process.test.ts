import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalAgent, SessionSnapshot } from "turnkeep";
import { describe, expect, test } from "vitest";
import { textsOf } from "../agents.ts";
import { DEATHS, type Death, errandAgent } from "./errand-agent.ts";
import type { ErrandOrder } from "./errand-process.ts";
import { startProcess } from "./start-process.ts";
import { openShared, scratchDirectory } from "./stores.ts";
import { collect, until } from "./waiting.ts";

const LEASE_MS = 600;

// Between the start of a step and its result nobody knows whether it was carried out.
const UNKNOWN: readonly Death[] = ["in-step-before-effect", "in-step-after-effect"];

describe("kill -9 of a process in the middle of a run", () => {
  test.concurrent.each(DEATHS)(
    "%s: another process finishes a detached run, and no step is taken twice",
    async (death) => {
      const errand = await killAt({ death, start: "detached" });
      const snapshot = await errand.finished(await errand.otherProcess());
      expectEnd(snapshot, death);
      expect(errand.effects()).toEqual(effectsOnceAfter(death));
    },
  );

  test.concurrent.each(DEATHS)(
    "%s: the same process, started again, finishes a detached run",
    async (death) => {
      const errand = await killAt({ death, start: "detached" });
      startProcess("errand-process.ts", errand.order);
      const reader = await errand.otherProcess();
      await reader.startWorker().stop();
      const snapshot = await errand.finished(reader);
      expectEnd(snapshot, death);
      expect(errand.effects()).toEqual(effectsOnceAfter(death));
    },
  );

  test.concurrent.each(DEATHS)(
    "%s: another process finishes a run that somebody was connected to",
    async (death) => {
      const errand = await killAt({ death, start: "attached" });
      const snapshot = await errand.finished(await errand.otherProcess());
      expectEnd(snapshot, death);
      expect(errand.effects()).toEqual(effectsOnceAfter(death));
    },
  );

  test.concurrent.each(UNKNOWN)(
    "%s: an idempotent step runs again, with the same key",
    async (death) => {
      const errand = await killAt({ death, start: "detached", idempotent: true });
      const snapshot = await errand.finished(await errand.otherProcess({ idempotent: true }));
      expect(snapshot).toMatchObject({ status: "completed", finishReason: "stop" });
      const times = death === "in-step-after-effect" ? 2 : 1;
      expect(errand.effects()).toEqual(["pack", ...Array(times).fill("pay"), "mail"]);
      expect(new Set(errand.effectLines().filter((line) => line.startsWith("pay"))).size).toBe(1);
    },
  );

  test.concurrent(
    "the run's log goes on after the death: a restart is said, and the numbers have no gap",
    async () => {
      const errand = await killAt({ death: "streaming", start: "detached" });
      const agent = await errand.otherProcess();
      await errand.finished(agent);
      const updates = await collect(agent.attach(errand.runId));
      expect(updates.map(({ seq }) => seq)).toEqual(updates.map((_, index) => index + 1));
      const types = updates.map(({ type }) => type);
      expect(types.filter((type) => type === "restarted")).toHaveLength(1);
      expect(types.slice(-2)).toEqual(["turnEnd", "runEnd"]);
      // What was seen of the first attempt stays, and the second says all of it again.
      const texts = updates.flatMap(({ chunk }) => chunk?.modelChunk ?? []);
      expect(texts.length).toBeGreaterThan(6);
    },
  );

  test.concurrent(
    "a turn that kills every process that works on it fails after three attempts",
    async () => {
      const order = orderOf({ death: "before-step", start: "detached" });
      const poison = { ...order, isPoison: true };
      const first = startProcess("errand-process.ts", poison);
      const runId = await first.firstLine;
      await first.ended;
      const { start: _, ...again } = poison;
      for (let attempt = 2; attempt <= 3; attempt += 1) {
        expect(await startProcess("errand-process.ts", again).ended).toBe("SIGKILL");
      }
      const errand = errandOf(order, runId);
      const agent = await errand.otherProcess();
      const snapshot = await errand.finished(agent);
      expect(snapshot).toMatchObject({
        status: "failed",
        finishReason: "failed",
        error: { status: "ABORTED", details: { reason: "ATTEMPTS_EXHAUSTED" } },
      });
      expect(errand.effects()).toEqual(["pack"]);
      const types = (await collect(agent.attach(runId))).map(({ type }) => type);
      expect(types).toEqual(["restarted", "restarted", "turnEnd", "runEnd"]);
    },
  );
});

interface Errand {
  readonly runId: string;
  readonly order: ErrandOrder;
  /** The agent in this process, which works on what others left. */
  readonly otherProcess: (options?: { readonly idempotent?: boolean }) => Promise<LocalAgent>;
  readonly finished: (agent: LocalAgent) => Promise<SessionSnapshot>;
  readonly effectLines: () => readonly string[];
  readonly effects: () => readonly string[];
}

type Kill = Pick<ErrandOrder, "start" | "death" | "idempotent">;

function orderOf(kill: Kill): ErrandOrder {
  const directory = scratchDirectory();
  return {
    database: join(directory, "life.db"),
    effects: join(directory, "effects.txt"),
    leaseMs: LEASE_MS,
    sessionId: "errand-1",
    ...kill,
  };
}

async function killAt(kill: Kill): Promise<Errand> {
  const order = orderOf(kill);
  const first = startProcess("errand-process.ts", order);
  const runId = await first.firstLine;
  expect(await first.ended).toBe("SIGKILL");
  const { start: _, ...again } = order;
  return errandOf(again, runId);
}

function errandOf(order: ErrandOrder, runId: string): Errand {
  const effectLines = (): readonly string[] =>
    existsSync(order.effects) ? readFileSync(order.effects, "utf8").trim().split("\n") : [];
  return {
    runId,
    order,
    otherProcess: async ({ idempotent = false } = {}) =>
      errandAgent({ ...order, idempotent, store: await openShared(order.database), pass: () => {} }),
    finished: async (agent) => {
      const ended = async (): Promise<readonly SessionSnapshot[]> =>
        (await agent.listSnapshots(order.sessionId)).filter(
          ({ status }) => status !== "pending" && status !== "expired",
        );
      await until(async () => (await ended()).length > 0, { withinMs: 20_000 });
      const snapshots = await agent.listSnapshots(order.sessionId);
      expect(snapshots).toHaveLength(1);
      return await agent.getSnapshot(snapshots[0]!.snapshotId);
    },
    effectLines,
    effects: () => effectLines().map((line) => line.split(" ")[0] ?? ""),
  };
}

function expectEnd(snapshot: SessionSnapshot, death: Death): void {
  if (UNKNOWN.includes(death)) {
    expect(snapshot).toMatchObject({
      status: "completed",
      finishReason: "interrupted",
      error: { status: "ABORTED", details: { reason: "UNKNOWN_TOOL_OUTCOME", name: "pay" } },
    });
    expect(textsOf(snapshot.state)).toEqual(["go"]);
    return;
  }
  expect(snapshot).toMatchObject({ status: "completed", finishReason: "stop" });
  expect(textsOf(snapshot.state)).toEqual(["go", "pay done"]);
}

function effectsOnceAfter(death: Death): readonly string[] {
  if (death === "in-step-before-effect") return ["pack"];
  return death === "in-step-after-effect" ? ["pack", "pay"] : ["pack", "pay", "mail"];
}
