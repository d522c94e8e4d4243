import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SeededRandom } from "./seeded-random.ts";

export interface FleetOptions {
  readonly workers: number;
  /** Handed to every worker. */
  readonly files: {
    readonly database: string;
    readonly effects: string;
    readonly journal: string;
  };
  readonly leaseMs: number;
  readonly random: SeededRandom;
}

export interface Faults {
  readonly kills: number;
  readonly stops: number;
}

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url));
const STOP_SHARE = 0.1;
// Longer than a lease, so that the frozen worker wakes up as a zombie.
const FROZEN_LEASES = 1.8;

/** Worker processes that are killed and frozen at random, and replaced when they die. */
export class WorkerFleet {
  /** What workers did that no fault explains. */
  readonly surprises: string[] = [];
  readonly #options: FleetOptions;
  readonly #members = new Set<Member>();
  readonly #thaws = new AbortController();
  #isOver = false;
  #kills = 0;
  #stops = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    for (let index = 0; index < options.workers; index += 1) this.#start(`worker-${index}`);
  }

  get faults(): Faults {
    return { kills: this.#kills, stops: this.#stops };
  }

  /** Kills or freezes one worker that is at work. */
  async strike(): Promise<void> {
    const member = await this.#pickVictim();
    if (this.#options.random.chance(STOP_SHARE)) {
      this.#stops += 1;
      this.#freeze(member);
    } else {
      this.#kills += 1;
      member.state = "doomed";
      member.child.kill("SIGKILL");
    }
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
    for (;;) {
      const working = [...this.#members].filter(({ state }) => state === "working");
      const member = this.#options.random.pick(working);
      if (member) return member;
      if (this.surprises.length > 0) throw new Error(this.surprises[0]);
      if (this.#isOver) throw new Error("The workers are gone.");
      await setTimeout(5);
    }
  }

  #start(name: string): void {
    const { files, leaseMs } = this.#options;
    const settings = JSON.stringify({ ...files, name, leaseMs });
    const child = spawn(process.execPath, [WORKER, settings], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const member: Member = { child, state: "starting" };
    let complaint = "";
    child.stdout.once("data", () => {
      if (member.state === "starting") member.state = "working";
    });
    child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
    child.once("close", (code, signal) => {
      this.#members.delete(member);
      if (member.state !== "doomed") {
        this.surprises.push(`${name} died by itself (${code ?? signal}): ${complaint}`);
      } else if (!this.#isOver) this.#start(name);
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

interface Member {
  readonly child: ChildProcess;
  state: "starting" | "working" | "frozen" | "doomed";
}
