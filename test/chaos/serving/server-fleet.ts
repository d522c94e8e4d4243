import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { SeededRandom } from "../seeded-random.ts";

/**
 * What happens to a server: SIGTERM while it commits an input, kill -9, SIGSTOP for longer than its lease, an event loop that is blocked for about
 * as long.
 */
export type ServerFault = "term" | "kill" | "stop" | "block";

export interface ServerFleetOptions {
  readonly servers: number;
  /** Passed to each process. */
  readonly settings: object;
  readonly leaseMs: number;
  readonly random: SeededRandom;
}

interface Member {
  readonly child: ChildProcess;
  url: string | undefined;
  state: "starting" | "serving" | "away" | "leaving" | "doomed";
}

const SERVER = fileURLToPath(new URL("server.mjs", import.meta.url));
const SHARES: readonly (readonly [kind: ServerFault, share: number])[] = [
  ["term", 0.5],
  ["kill", 0.2],
  ["stop", 0.1],
  ["block", 0.2],
];
const MIN_SURVIVORS = 1;
const AWAY_LEASES = 1.8;
// How long to wait for the next input before the signal is sent anyway.
const MAX_AIM_MS = 2000;
const MAX_CLOSE_MS = 60_000;

/** Processes that serve an agent over HTTP. They are struck at random and replaced when they end. */
export class ServerFleet {
  readonly strikes: Partial<Record<ServerFault, number>> = {};
  /** What servers did that no fault explains. */
  readonly surprises: string[] = [];
  readonly #options: ServerFleetOptions;
  readonly #members = new Set<Member>();
  readonly #returns = new Set<Promise<void>>();
  readonly #over = new AbortController();

  constructor(options: ServerFleetOptions) {
    this.#options = options;
    for (let index = 0; index < options.servers; index += 1) this.#start();
  }

  /** The URL of some server that may answer. */
  pickUrl(random: SeededRandom): string | undefined {
    return random.pick([...this.#members].flatMap(({ url }) => url ?? []));
  }

  async strike(): Promise<void> {
    const member = await this.#pickVictim();
    const kind = this.#drawKind();
    this.strikes[kind] = (this.strikes[kind] ?? 0) + 1;
    switch (kind) {
      case "term":
        return await this.#terminate(member);
      case "kill":
        member.state = "doomed";
        member.child.kill("SIGKILL");
        return;
      case "stop":
        member.child.kill("SIGSTOP");
        return this.#takeAway(member);
      case "block":
        member.child.kill("SIGUSR2");
        return this.#takeAway(member);
    }
  }

  /** Resolves when every server that was away is back, and every closing one is gone. */
  async settle(): Promise<void> {
    await Promise.all(this.#returns);
  }

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

  #drawKind(): ServerFault {
    let left = this.#options.random.next();
    for (const [kind, share] of SHARES) {
      if (left < share) return kind;
      left -= share;
    }
    return "term";
  }

  async #pickVictim(): Promise<Member> {
    for (;;) {
      const serving = [...this.#members].filter(({ state }) => state === "serving");
      const member = this.#options.random.pick(serving);
      if (member && serving.length > MIN_SURVIVORS) return member;
      if (this.surprises.length > 0) throw new Error(this.surprises[0]);
      await setTimeout(5);
    }
  }

  // In the middle of an accept: as soon as the server writes that it commits an input.
  async #terminate(member: Member): Promise<void> {
    member.state = "leaving";
    const { child } = member;
    const over = new AbortController();
    const aimed = once(child.stdout!, "data", { signal: over.signal });
    const late = setTimeout(MAX_AIM_MS, undefined, { signal: over.signal });
    await Promise.race([aimed, late]).catch(() => {});
    for (const unused of [aimed, late]) unused.catch(() => {});
    over.abort();
    child.kill("SIGTERM");
    const closed = this.#awaitClose(child).finally(() => this.#returns.delete(closed));
    this.#returns.add(closed);
  }

  async #awaitClose(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null) return;
    const over = new AbortController();
    const gone = once(child, "close", { signal: over.signal }).then(
      () => true,
      () => true,
    );
    const late = setTimeout(MAX_CLOSE_MS, false, { signal: over.signal }).catch(() => true);
    if (!(await Promise.race([gone, late]))) {
      this.surprises.push(`a server did not close within ${MAX_CLOSE_MS} ms of SIGTERM`);
    }
    over.abort();
  }

  #takeAway(member: Member): void {
    member.state = "away";
    const back = (): void => {
      member.child.kill("SIGCONT");
      if (member.state === "away") member.state = "serving";
      this.#returns.delete(returned);
    };
    const returned = setTimeout(AWAY_LEASES * this.#options.leaseMs, undefined, {
      signal: this.#over.signal,
    }).then(back, back);
    this.#returns.add(returned);
  }

  #start(): void {
    const child = spawn(process.execPath, [SERVER, JSON.stringify(this.#options.settings)], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    const member: Member = { child, url: undefined, state: "starting" };
    let complaint = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("ready ")) return;
      member.url = line.slice("ready ".length);
      if (member.state === "starting") member.state = "serving";
    });
    child.stderr.on("data", (data: Buffer) => (complaint += data.toString()));
    child.once("close", (code, signal) => {
      this.#members.delete(member);
      const isExpected = member.state === "doomed" || (member.state === "leaving" && code === 0);
      if (!isExpected) {
        this.surprises.push(`a server died (${code ?? signal}, ${member.state}): ${complaint}`);
      }
      if (!this.#over.signal.aborted) this.#start();
    });
    this.#members.add(member);
  }
}
