import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StartedChild, startChild } from "../../support/start-child.ts";
import { FLOOD_CHARACTERS } from "./flood-agent.ts";
import type { FloodOrder } from "./flood-server-process.ts";
import { forgetPeak, memoryOf } from "./process-memory.ts";
import { eventsRequest, silentReader } from "./silent-reader.ts";
import { waitFor } from "./waiting-for.ts";
import type { WatchReport } from "./watched-answers.ts";

export interface SlowReadersOptions {
  readonly readers: number;
  readonly bytes: number;
  /** Runs with such readers, each beside one without. */
  readonly pairs: number;
  readonly isBuilt: boolean;
  readonly onProgress?: (text: string) => void;
}

export interface Round {
  readonly turnMs: number;
  /** The server's memory when the turn began, and at most; `undefined` where the system does not tell. */
  readonly beforeBytes: number | undefined;
  readonly peakBytes: number | undefined;
}

export interface SlowReadersReport {
  readonly alone: readonly Round[];
  readonly beside: readonly Round[];
  /** Of the last turn's readers, when all of them had been dropped. */
  readonly watched: WatchReport;
  /** The most that was held for any reader of any turn. */
  readonly mostHeldBytes: number;
}

const FILE = new URL("flood-server-process.ts", import.meta.url);
const START_MS = 60_000;
// Longer than a reader is borne with.
const DROP_MS = 90_000;

/** Turns that say much, by turns without a reader and with many that never read. */
export async function runSlowReaders(options: SlowReadersOptions): Promise<SlowReadersReport> {
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-slow-readers-"));
  const order: FloodOrder = {
    database: join(directory, "flood.db"),
    chunks: Math.ceil(options.bytes / FLOOD_CHARACTERS),
  };
  const child = startChild(FILE, order, { isBuilt: options.isBuilt });
  try {
    await waitFor(() => child.lines.includes("ready"), START_MS);
    return await new Flood(child).measure(options);
  } finally {
    child.kill("SIGKILL");
    await child.ended;
    rmSync(directory, { recursive: true, force: true });
  }
}

class Flood {
  readonly #pid: number;
  readonly #port: number;
  #sockets: Socket[] = [];

  constructor({ pid, lines }: StartedChild) {
    this.#pid = pid;
    this.#port = Number(lines[0]);
  }

  async measure(options: SlowReadersOptions): Promise<SlowReadersReport> {
    const { readers, pairs, onProgress = () => {} } = options;
    const alone: Round[] = [];
    const beside: Round[] = [];
    let mostHeldBytes = 0;
    // Nobody is measured cold.
    await this.#round(0);
    await this.#round(readers);
    for (let pair = 1; pair <= pairs; pair += 1) {
      // Whoever comes first in one pair comes second in the next.
      const order = pair % 2 === 0 ? [0, readers] : [readers, 0];
      for (const count of order) {
        const round = await this.#round(count);
        (count === 0 ? alone : beside).push(round);
        mostHeldBytes = Math.max(mostHeldBytes, (await this.#watched()).mostHeldBytes);
        onProgress(`pair ${pair} of ${pairs}, ${count} readers: ${Math.round(round.turnMs)} ms`);
      }
    }
    return { alone, beside, mostHeldBytes, watched: await this.#dropped(readers) };
  }

  // One turn; whoever is still there after it is let go.
  async #round(readers: number, isLast = false): Promise<Round> {
    await this.#ask("/forget");
    forgetPeak(this.#pid);
    const beforeBytes = memoryOf(this.#pid)?.nowBytes;
    const { runId, sessionId } = await this.#submit();
    const request = eventsRequest(`/agents/flood/runs/${runId}/events`);
    this.#sockets = Array.from({ length: readers }, () => silentReader(this.#port, request));
    const turnMs = Number(await this.#ask(`/time/${runId}`));
    const peakBytes = memoryOf(this.#pid)?.peakBytes;
    if (isLast) await this.#waitForDrop();
    for (const socket of this.#sockets) socket.destroy();
    await this.#ask(`/agents/flood/sessions/${sessionId}`, "DELETE");
    return { turnMs, beforeBytes, peakBytes };
  }

  async #dropped(readers: number): Promise<WatchReport> {
    await this.#round(readers, true);
    return await this.#watched();
  }

  async #waitForDrop(): Promise<void> {
    const deadline = performance.now() + DROP_MS;
    while ((await this.#watched()).open > 0 && performance.now() < deadline) await sleep(100);
  }

  async #submit(): Promise<{ readonly runId: string; readonly sessionId: string }> {
    const message = { role: "user", content: [{ text: "go" }] };
    const body = JSON.stringify({ input: { message } });
    return JSON.parse(await this.#ask("/agents/flood/runs", "POST", body)) as {
      readonly runId: string;
      readonly sessionId: string;
    };
  }

  async #watched(): Promise<WatchReport> {
    return JSON.parse(await this.#ask("/watch")) as WatchReport;
  }

  async #ask(path: string, method = "GET", body?: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method,
      ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}.`);
    return await response.text();
  }
}
