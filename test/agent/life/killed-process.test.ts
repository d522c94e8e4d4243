import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalAgent, SessionSnapshot } from "turnkeep";
import { beforeAll, describe, expect, test } from "vitest";
import { textsOf } from "../agents.ts";
import { DEATHS, type Death, errandAgent } from "./errand-agent.ts";
import type { ErrandOrder } from "./errand-process.ts";
import { startProcess } from "./start-process.ts";
import { openShared, scratchDirectory } from "./stores.ts";
import { collect, until } from "./waiting.ts";

const LEASE_MS = 1500;

// Between the start of a step and its result nobody knows whether it was carried out.
const UNKNOWN: readonly Death[] = ["in-step-before-effect", "in-step-after-effect"];

const DONE = { status: "completed", finishReason: "stop" };
const INTERRUPTED = {
  status: "completed",
  finishReason: "interrupted",
  error: { status: "ABORTED", details: { reason: "UNKNOWN_TOOL_OUTCOME", name: "pay" } },
};

const WAYS: readonly (readonly [name: string, detach: boolean, again: boolean])[] = [
  ["another process finishes the detached run", true, false],
  ["the process, started again, finishes the detached run", true, true],
  ["another process finishes the run somebody was connected to", false, false],
];

describe.each(WAYS)("after kill -9, %s", (_, detach, again) => {
  let errands: Errands;

  beforeAll(async () => {
    errands = new Errands({ detach });
    await errands.beginAndKill();
    if (again) errands.startAgain();
    await errands.openReader({ works: !again });
    await errands.allEnded();
  });

  test.each(DEATHS)("killed %s: completed, or interrupted where nobody knows", async (death) => {
    const snapshot = await errands.snapshotOf(death);
    const isUnknown = UNKNOWN.includes(death);
    expect(snapshot).toMatchObject(isUnknown ? INTERRUPTED : DONE);
    expect(textsOf(snapshot.state)).toEqual(isUnknown ? ["go"] : ["go", "pay done"]);
  });

  test.each(DEATHS)("killed %s: no step was taken twice", (death) => {
    const expected = {
      "in-step-before-effect": ["pack"],
      "in-step-after-effect": ["pack", "pay"],
    }[death as string];
    expect(errands.effectsOf(death)).toEqual(expected ?? ["pack", "pay", "mail"]);
  });

  test.each(UNKNOWN)("killed %s: an idempotent step runs again, with its key", async (death) => {
    const sessionId = `${death}-idempotent`;
    expect(await errands.snapshotOf(sessionId)).toMatchObject({
      status: "completed",
      finishReason: "stop",
    });
    const times = death === "in-step-after-effect" ? 2 : 1;
    expect(errands.effectsOf(sessionId)).toEqual(["pack", ...Array(times).fill("pay"), "mail"]);
    expect(errands.keysOf(sessionId, "pay").size).toBe(1);
  });

  test.each(DEATHS)("killed %s: the log has one restart, no gap and one end", async (death) => {
    const updates = await errands.log(death);
    expect(updates.map(({ seq }) => seq)).toEqual(updates.map((__, index) => index + 1));
    const types = updates.map(({ type }) => type);
    expect(types.filter((type) => type === "restarted")).toHaveLength(1);
    expect(types.filter((type) => type === "turnEnd")).toHaveLength(1);
    expect(types.slice(-2)).toEqual(["turnEnd", "runEnd"]);
  });

  test("what was streamed before the death stays in the log, before the restart", async () => {
    const types = (await errands.log("streaming")).map(({ type }) => type);
    expect(types.indexOf("restarted")).toBeGreaterThan(0);
    expect(types.slice(types.indexOf("restarted"))).toEqual([
      "restarted",
      ...Array(6).fill("chunk"),
      "turnEnd",
      "runEnd",
    ]);
  });
});

test("a turn that kills every process that works on it fails after three attempts", async () => {
  const errands = new Errands({ detach: true, poison: "before-step" });
  expect(await errands.begin().ended).toBe("SIGKILL");
  for (let attempt = 2; attempt <= 3; attempt += 1) {
    expect(await errands.startAgain().ended).toBe("SIGKILL");
  }
  await errands.openReader({ works: true });
  await errands.allEnded();
  expect(await errands.snapshotOf("before-step")).toMatchObject({
    status: "failed",
    finishReason: "failed",
    error: { status: "ABORTED", details: { reason: "ATTEMPTS_EXHAUSTED" } },
  });
  expect(errands.effectsOf("before-step")).toEqual(["pack"]);
});

/** Runs of the errand agent in a process that dies, and what became of them. */
class Errands {
  readonly #order: ErrandOrder;
  readonly #runIds = new Map<string, string>();
  #reader: LocalAgent | undefined;

  constructor({ detach, poison }: Pick<ErrandOrder, "detach" | "poison">) {
    const directory = scratchDirectory();
    const errands = poison
      ? [{ sessionId: poison, death: poison }]
      : [
          ...DEATHS.map((death) => ({ sessionId: death, death })),
          ...UNKNOWN.map((death) => ({ sessionId: `${death}-idempotent`, death })),
        ];
    this.#order = {
      database: join(directory, "life.db"),
      effects: join(directory, "effects.txt"),
      leaseMs: LEASE_MS,
      errands,
      detach,
      ...(poison && { poison }),
    };
  }

  async beginAndKill(): Promise<void> {
    const first = startProcess("errand-process.ts", this.#order);
    await first.said("ready");
    for (const { sessionId } of this.#order.errands) await first.said(`${sessionId} stands`);
    for (const line of first.lines) {
      const [sessionId = "", word, runId = ""] = line.split(" ");
      if (word === "run") this.#runIds.set(sessionId, runId);
    }
    first.kill("SIGKILL");
    await first.ended;
  }

  begin(): ReturnType<typeof startProcess> {
    return startProcess("errand-process.ts", this.#order);
  }

  startAgain(): ReturnType<typeof startProcess> {
    return startProcess("errand-process.ts", { ...this.#order, errands: [] });
  }

  /** Opens the agent in this process, to work on what others left or only to look on. */
  async openReader({ works }: { readonly works: boolean }): Promise<void> {
    const store = await openShared(this.#order.database);
    this.#reader = errandAgent({ ...this.#order, store, pass: () => {} });
    if (!works) await this.#reader.startWorker().stop();
  }

  async allEnded(): Promise<void> {
    const hasEnded = async ({ sessionId }: { readonly sessionId: string }): Promise<boolean> => {
      const [snapshot] = await this.reader.listSnapshots(sessionId);
      return snapshot !== undefined && !["pending", "expired"].includes(snapshot.status ?? "");
    };
    await until(async () => (await Promise.all(this.#order.errands.map(hasEnded))).every(Boolean));
  }

  get reader(): LocalAgent {
    if (this.#reader === undefined) throw new Error("The reader is not open.");
    return this.#reader;
  }

  async snapshotOf(sessionId: string): Promise<SessionSnapshot> {
    const [only, ...others] = await this.reader.listSnapshots(sessionId);
    if (only === undefined || others.length > 0) throw new Error("Not one snapshot.");
    return await this.reader.getSnapshot(only.snapshotId);
  }

  async log(sessionId: string): Promise<Awaited<ReturnType<typeof collectLog>>> {
    return await collectLog(this.reader, this.#runIds.get(sessionId) ?? "");
  }

  effectsOf(sessionId: string): readonly string[] {
    return this.#effects(sessionId).map(([, name = ""]) => name);
  }

  keysOf(sessionId: string, step: string): ReadonlySet<string> {
    const keys = this.#effects(sessionId).flatMap(([, name, key = ""]) =>
      name === step ? [key] : [],
    );
    return new Set(keys);
  }

  #effects(sessionId: string): readonly (readonly string[])[] {
    const { effects } = this.#order;
    const lines = existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : [];
    return lines.map((line) => line.split(" ")).filter(([session]) => session === sessionId);
  }
}

async function collectLog(
  agent: LocalAgent,
  runId: string,
): Promise<readonly { readonly seq: number; readonly type: string }[]> {
  return await collect(agent.attach(runId));
}
