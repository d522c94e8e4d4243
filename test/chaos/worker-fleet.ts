import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { FaultProxy } from "../support/fault-proxy.ts";
import type { PlaceSettings } from "../support/places/place.ts";
import type { WorkerFault } from "./fault-kinds.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { type Strike, timeNow } from "./take-overs.ts";

export interface WorkerOrder {
  /** From which it opens the store. */
  readonly place: PlaceSettings;
  readonly effects: string;
  readonly journal: string;
  readonly leaseMs: number;
  /** How wrong its clock is. */
  readonly skewMs: number;
}

export interface FleetOptions {
  readonly orders: readonly WorkerOrder[];
  /** The network of each worker, where there is one. */
  readonly lines: readonly FaultProxy[];
  readonly random: SeededRandom;
}

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url));
// Longer than a lease, so that whoever is cut off comes back as a zombie.
const AWAY_LEASES = 1.8;

/** Worker processes that are killed, frozen and cut off at random, and replaced when they die. */
export class WorkerFleet {
  /** What workers did that no fault explains. */
  readonly surprises: string[] = [];
  readonly strikes: Strike[] = [];
  readonly #options: FleetOptions;
  readonly #members = new Set<Member>();
  readonly #returns = new Set<Promise<void>>();
  readonly #over = new AbortController();

  constructor(options: FleetOptions) {
    this.#options = options;
    for (const index of options.orders.keys()) this.#start(index);
  }

  /** Has the fault happen to one worker that is at work. */
  async strike(kind: WorkerFault): Promise<void> {
    const member = await this.#pickVictim();
    this.strikes.push({ pid: member.child.pid ?? 0, kind, at: timeNow() });
    switch (kind) {
      case "kill":
        member.state = "doomed";
        member.child.kill("SIGKILL");
        return;
      case "stop":
        member.child.kill("SIGSTOP");
        return this.#takeAway(member, () => member.child.kill("SIGCONT"));
      case "black-hole":
        if (member.line) member.line.traffic = "hold";
        return this.#takeAway(member, () => this.#heal(member));
      case "reset":
        member.line?.reset();
    }
  }

  /** Resolves when every worker that was away is back. */
  async settle(): Promise<void> {
    await Promise.all(this.#returns);
  }

  /** Ends every worker. */
  async close(): Promise<void> {
    this.#over.abort();
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
      // Somebody must be left to take over, or nothing would ever be at stake.
      if (member && working.length > 1) return member;
      if (this.surprises.length > 0) throw new Error(this.surprises[0]);
      if (this.#over.signal.aborted) throw new Error("The workers are gone.");
      await setTimeout(5);
    }
  }

  #start(index: number): void {
    const order = this.#options.orders[index];
    if (order === undefined) return;
    const child = spawn(process.execPath, [WORKER, JSON.stringify(order)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const member: Member = { child, line: this.#options.lines[index], state: "starting" };
    let complaint = "";
    child.stdout.once("data", () => {
      if (member.state === "starting") member.state = "working";
    });
    child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
    child.once("close", (code, signal) => {
      this.#members.delete(member);
      if (member.state !== "doomed") {
        this.surprises.push(`worker ${index} died by itself (${code ?? signal}): ${complaint}`);
      } else if (!this.#over.signal.aborted) this.#start(index);
    });
    this.#members.add(member);
  }

  #takeAway(member: Member, bringBack: () => void): void {
    member.state = "away";
    const back = (): void => {
      bringBack();
      if (member.state === "away") member.state = "working";
      this.#returns.delete(returned);
    };
    const leaseMs = this.#options.orders[0]?.leaseMs ?? 0;
    const returned = setTimeout(AWAY_LEASES * leaseMs, undefined, {
      signal: this.#over.signal,
    }).then(back, back);
    this.#returns.add(returned);
  }

  // Either what was held up arrives late, or the connections turn out to be dead.
  #heal({ line }: Member): void {
    if (this.#options.random.chance(0.5)) line?.reset();
    if (line) line.traffic = "pass";
  }
}

interface Member {
  readonly child: ChildProcess;
  readonly line: FaultProxy | undefined;
  state: "starting" | "working" | "away" | "doomed";
}
