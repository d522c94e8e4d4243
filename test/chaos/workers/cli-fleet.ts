import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SeededRandom } from "../seeded-random.ts";

export interface CliFleetOptions {
  readonly workers: number;
  /** What `turnkeep worker` is told behind the module. */
  readonly flags: readonly string[];
  /** What the module is told. */
  readonly settings: object;
  readonly leaseMs: number;
  readonly random: SeededRandom;
}

/** A worker that was killed or frozen. */
export interface Strike {
  readonly kind: "kill" | "stop";
  readonly pid: number;
  readonly at: number;
}

interface Member {
  readonly child: ChildProcess;
  state: "starting" | "working" | "frozen" | "doomed";
  /** Turns it is in the middle of. */
  turns: number;
}

const CLI = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const AGENTS = fileURLToPath(new URL("chaos-agents.mjs", import.meta.url));
const STOP_SHARE = 0.15;
// Most are struck in the middle of a turn, some whenever it comes.
const BLIND_SHARE = 0.1;
// Somebody has to be there to take over: what is measured is not how fast processes start.
const LEAST_SURVIVORS = 1;
// Longer than a lease, so that the frozen worker wakes up as a zombie.
const FROZEN_LEASES = 1.8;
// About how long a turn of the agent takes.
const TURN_MS = 300;

/** Processes of `turnkeep worker` that are killed and frozen at random, and replaced when they die. */
export class CliFleet {
  readonly strikes: Strike[] = [];
  /** Since when each process was ready for work. */
  readonly readyAt: Map<number, number> = new Map();
  /** What workers did that no strike explains. */
  readonly surprises: string[] = [];
  readonly #options: CliFleetOptions;
  readonly #members = new Set<Member>();
  readonly #thaws = new AbortController();
  #isOver = false;

  constructor(options: CliFleetOptions) {
    this.#options = options;
    for (let index = 0; index < options.workers; index += 1) this.#start();
  }

  /** Kills or freezes one worker that is at work. */
  async strike(): Promise<void> {
    const member = await this.#pickVictim();
    // Not as soon as a turn begins: a striker who waits for just that would let none of them get any further.
    await setTimeout(this.#options.random.between(0, TURN_MS));
    const kind = this.#options.random.chance(STOP_SHARE) ? "stop" : "kill";
    if (kind === "kill") {
      member.state = "doomed";
      member.child.kill("SIGKILL");
    } else this.#freeze(member);
    this.strikes.push({ kind, pid: member.child.pid ?? 0, at: Date.now() });
  }

  /** Ends every worker. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#thaws.abort();
    await Promise.all(
      [...this.#members].map(async (member) => {
        const gone = once(member.child, "close");
        member.state = "doomed";
        member.child.kill("SIGKILL");
        await gone;
      }),
    );
  }

  async #pickVictim(): Promise<Member> {
    const least = this.#options.random.chance(BLIND_SHARE) ? 0 : 1;
    for (;;) {
      const working = [...this.#members].filter(({ state }) => state === "working");
      const victims = working.filter(({ turns }) => turns >= least);
      const member = this.#options.random.pick(victims);
      if (member && working.length > LEAST_SURVIVORS) return member;
      if (this.surprises.length > 0) throw new Error(this.surprises[0]);
      await setTimeout(5);
    }
  }

  #start(): void {
    const { flags, settings } = this.#options;
    const child = spawn(process.execPath, [CLI, "worker", AGENTS, ...flags], {
      env: { ...process.env, TURNKEEP_CHAOS: JSON.stringify(settings) },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const member: Member = { child, state: "starting", turns: 0 };
    let complaint = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "begun") member.turns += 1;
      if (line === "ended") member.turns -= 1;
      if (!line.startsWith("ready") || member.state !== "starting") return;
      member.state = "working";
      this.readyAt.set(child.pid ?? 0, Date.now());
    });
    child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
    child.once("close", (code, signal) => {
      this.#members.delete(member);
      if (member.state !== "doomed") {
        this.surprises.push(`a worker died by itself (${code ?? signal}): ${complaint}`);
      } else if (!this.#isOver) this.#start();
    });
    this.#members.add(member);
  }

  #freeze(member: Member): void {
    member.state = "frozen";
    member.child.kill("SIGSTOP");
    const thaw = (): void => {
      member.child.kill("SIGCONT");
      if (member.state === "frozen") member.state = "working";
    };
    const frozenMs = FROZEN_LEASES * this.#options.leaseMs;
    setTimeout(frozenMs, undefined, { signal: this.#thaws.signal }).then(thaw, thaw);
  }
}
