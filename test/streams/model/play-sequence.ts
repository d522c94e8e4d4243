import type { AgentStreamChunk } from "turnkeep";
import { textOf } from "../../agent/agents.ts";
import { endsOf, lateChunks } from "../paths.ts";
import { SequenceReader } from "./readers.ts";
import type { Action, Sequence } from "./sequence.ts";
import { LEASE_MS, SESSION, Stage } from "./stage.ts";
import { settled } from "./virtual-time.ts";

/** What was played, for counting. */
export interface Played {
  readonly acts: readonly Action["do"][];
  readonly paths: readonly string[];
  readonly turnEnds: readonly string[];
  readonly takeOvers: number;
}

/** Plays a sequence to its end and compares what live and late readers saw. Throws what does not hold. */
export async function playSequence({ actions, ...options }: Sequence): Promise<Played> {
  const player = new Player(options);
  for (const action of actions) {
    await player.act(action);
    // How far what was begun has come by then is part of what is tried.
    await settled(2);
  }
  await player.finish();
  const runs = await player.lateRuns();
  player.check(runs);
  return {
    acts: actions.map((action) => action.do),
    paths: player.readers.map(({ path }) => path),
    turnEnds: [...runs.values()].flatMap(({ chunks }) =>
      endsOf(chunks).map(({ finishReason = "" }) => finishReason),
    ),
    takeOvers: player.takeOvers,
  };
}

/** A run as late readers see it. */
interface LateRun {
  readonly chunks: readonly AgentStreamChunk[];
  readonly phase: string;
}

type LateRuns = ReadonlyMap<string, LateRun>;

/** One who reads a run that others began. */
interface Attached {
  readonly runId: string;
  readonly chunks: AgentStreamChunk[];
  isOver: boolean;
  error?: unknown;
}

// Each lets everything happen that is due for more than a lease.
const MOST_ROUNDS = 40;

class Player {
  readonly readers: SequenceReader[] = [];
  takeOvers = 0;
  readonly #stage: Stage;
  /** Whether something is saved after the last turn, which fails when another run was faster. */
  readonly #savesRunEnds: boolean;
  readonly #attached: Attached[] = [];
  /** The runs of inputs that were aborted before they said anything. */
  readonly #unheard = new Map<string, string>();

  constructor(options: Omit<Sequence, "actions">) {
    this.#savesRunEnds = options.tidies || options.snapshotWhen === "runEnd";
    this.#stage = new Stage(options);
  }

  async act(action: Action): Promise<void> {
    const stage = this.#stage;
    switch (action.do) {
      case "send":
        return this.#send(action);
      case "more":
      case "close":
      case "detach":
        return this.#goOn(action);
      case "attach":
        return await this.#attach(action);
      case "abort":
        return await this.#abort(action);
      case "release":
        return stage.release(action.which);
      case "kill":
        return await this.#kill();
      case "pass":
        return await stage.time.pass(action.milliseconds);
    }
  }

  #goOn(action: Extract<Action, { do: "more" | "close" | "detach" }>): void {
    const reader = this.#open;
    if (reader === undefined) return;
    if (action.do === "more") reader.send(this.#stage.plan(action.plan));
    else if (action.do === "close") reader.close();
    else reader.detach();
  }

  /** Lets everything come to its end. */
  async finish(): Promise<void> {
    const { time } = this.#stage;
    this.#stage.releaseAll();
    for (const reader of this.readers) reader.close();
    for (let round = 0; round < MOST_ROUNDS && !(await this.#isOver()); round += 1) {
      await settled(5);
      await time.pass(LEASE_MS);
      this.takeOvers += (await this.#stage.takeOver()).length;
    }
  }

  /** What late readers see of each run. */
  async lateRuns(): Promise<LateRuns> {
    const { agent } = this.#stage.b;
    const runs = new Map<string, LateRun>();
    if ((await agent.listSessions()).sessions.length === 0) return runs;
    for (const { runId, phase } of await agent.inspector.listRuns(SESSION)) {
      const isEnded = ["completed", "failed", "aborted"].includes(phase);
      expect(isEnded, `a run never came to its end: it is ${phase}`);
      const chunks = (await lateChunks(agent, runId)).filter(isCompared);
      runs.set(runId, { chunks, phase });
    }
    for (const { input, runId = "" } of await agent.inspector.listSnapshots(SESSION)) {
      const given = Array.isArray(input) ? input : [input];
      for (const one of given as ({ message?: never } | undefined)[])
        if (one?.message) this.#unheard.set(textOf(one.message), runId);
    }
    // All readers of a process share a pace, which would wait for this stage's time for ever.
    await this.#stage.time.pass(1);
    return runs;
  }

  check(runs: LateRuns): void {
    this.#checkInputs(runs);
    for (const { runId, chunks, isOver, error } of this.#attached) {
      expect(isOver, "an attached reader waits for ever");
      const late = runs.get(runId)?.chunks ?? [];
      const isSame = JSON.stringify(chunks.filter(isCompared)) === JSON.stringify(late);
      expect(
        isSame,
        `an attached reader differs:\n${show(chunks)}\n${show(late)}${reasonOf(error)}`,
      );
    }
  }

  #checkInputs(runs: LateRuns): void {
    const inputs = new Map([...runs.keys()].map((runId) => [runId, 0]));
    for (const reader of this.readers) {
      expect(reader.isOver, `a reader waits for ever: ${reader.path}`);
      const accepted = [...reader.inputs].filter(([, isAccepted]) => isAccepted !== false);
      const [name] = accepted[0] ?? [];
      const runId = name === undefined ? undefined : this.#runOf(name, runs);
      if (runId !== undefined) inputs.set(runId, (inputs.get(runId) ?? 0) + accepted.length);
      this.#compare(reader, runId === undefined ? undefined : runs.get(runId));
    }
    for (const [runId, count] of inputs) {
      const ends = endsOf(runs.get(runId)?.chunks ?? []).length;
      expect(ends === count, `${count} inputs of a run have ${ends} turnEnds`);
    }
  }

  #compare(reader: SequenceReader, run: LateRun | undefined): void {
    const live = reader.chunks.filter(isCompared);
    if (run === undefined) {
      expect(live.length === 0, `a reader of no run was told something: ${reader.path}`);
      return;
    }
    const { chunks: late } = run;
    const { output, error } = reader.live.heard;
    // Whoever detaches is told nothing more from then on.
    const isLeft = reader.isDetached && output?.finishReason === "detached";
    const seen = isLeft ? late.slice(0, live.length) : late;
    expect(
      JSON.stringify(live) === JSON.stringify(seen),
      `a live reader (${reader.path}) and a late one differ:\n${show(live)}\n${show(late)}${reasonOf(error)}`,
    );
    if (isLeft || this.#savesRunEnds || reader.inputs.size > 1) return;
    this.#compareOutput(reader, run);
  }

  #compareOutput({ live, path }: SequenceReader, { chunks, phase }: LateRun): void {
    const reason = live.heard.output?.finishReason;
    // A run may be aborted between two turns, by a process that its agent does not hear of.
    const reasons = [endsOf(chunks).at(-1)?.finishReason, phase === "aborted" ? phase : undefined];
    expect(
      reasons.includes(reason),
      `the output of a run that ended ${reasons[0]} says ${reason}: ${path}`,
    );
  }

  // By what it said, or by what it was given.
  #runOf(input: string, runs: LateRuns): string | undefined {
    for (const [runId, { chunks }] of runs)
      if (chunks.some(({ modelChunk }) => textOf(modelChunk).startsWith(`${input}.`))) return runId;
    return this.#unheard.get(input);
  }

  get #open(): SequenceReader | undefined {
    return this.readers.findLast(({ connection }) => connection !== undefined);
  }

  #send(action: Extract<Action, { do: "send" }>): void {
    const { path, onBusy, detaches, stays, plan } = action;
    const process = action.at === "a" ? this.#stage.a : this.#stage.b;
    const name = this.#stage.plan(plan);
    const reader = new SequenceReader(name, { path, process, onBusy, detaches });
    this.readers.push(reader);
    if (!stays) reader.close();
  }

  async #abort(action: Extract<Action, { do: "abort" }>): Promise<void> {
    const { agent } = action.at === "a" ? this.#stage.a : this.#stage.b;
    const runId = await this.#findRun(action);
    if (runId !== undefined) await agent.abort(runId);
  }

  async #attach(action: Extract<Action, { do: "attach" }>): Promise<void> {
    const { agent } = action.at === "a" ? this.#stage.a : this.#stage.b;
    const runId = await this.#findRun(action);
    if (runId === undefined) return;
    const attached: Attached = { runId, chunks: [], isOver: false };
    this.#attached.push(attached);
    const read = async (): Promise<void> => {
      for await (const { chunk } of agent.attach(runId)) if (chunk) attached.chunks.push(chunk);
    };
    void read()
      .catch((error: unknown) => (attached.error = error))
      .finally(() => (attached.isOver = true));
  }

  async #findRun({ which }: { readonly which: number }): Promise<string | undefined> {
    const { agent } = this.#stage.b;
    if ((await agent.listSessions()).sessions.length === 0) return undefined;
    const runs = await agent.inspector.listRuns(SESSION);
    return runs[which % Math.max(runs.length, 1)]?.runId;
  }

  async #kill(): Promise<void> {
    await this.#stage.kill();
    this.takeOvers += 1;
  }

  async #isOver(): Promise<boolean> {
    const { agent } = this.#stage.b;
    if (![...this.readers, ...this.#attached].every(({ isOver }) => isOver)) return false;
    const { sessions } = await agent.listSessions();
    return sessions.every(({ status }) => status === "idle");
  }
}

// What every path tells alike.
function isCompared({ modelChunk, turnEnd }: AgentStreamChunk): boolean {
  return modelChunk !== undefined || turnEnd !== undefined;
}

function show(chunks: readonly AgentStreamChunk[]): string {
  return chunks
    .map(({ modelChunk, turnEnd }) => (turnEnd ? JSON.stringify(turnEnd) : textOf(modelChunk)))
    .join(" ");
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `\n${error.message}` : "";
}
