import {
  type AcceptAnswer,
  type Claim,
  EMPTY_CONTENT,
  type FinishAnswer,
  Ledger,
  type RunEvent,
  type SessionKey,
  type SessionStore,
  SessionTree,
  type Submission,
  TurnkeepError,
  type TurnOutcome,
} from "../../src/ledger/index.ts";
import { stepKey } from "../../src/ledger/row-key.ts";
import { raceKey } from "./start-race.ts";

/** What a caller was answered, call by call: the kinds only, since ids differ from run to run. */
export type Transcript = readonly string[];

/** One conversation that takes every step of the ledger. A call that fails is made again, as any caller would. */
export class ScriptedConversation {
  /** The session it is held in, and one that is forked from it and removed. */
  readonly sessions: readonly [main: SessionKey, copy: SessionKey];
  readonly #key: SessionKey;
  readonly #copy: SessionKey;
  readonly #ledger: Ledger;
  readonly #tree: SessionTree;
  readonly #transcript: string[] = [];

  constructor(store: SessionStore, name: string) {
    this.#key = raceKey(`${name}-main`);
    this.#copy = raceKey(`${name}-copy`);
    this.sessions = [this.#key, this.#copy];
    this.#ledger = new Ledger({ store });
    this.#tree = new SessionTree(this.#ledger);
  }

  async run(): Promise<Transcript> {
    const first = await this.#talk("one");
    await this.#handOver();
    await this.#abortRunningAndQueued();
    await this.#interrupt();
    await this.#branch(first);
    await this.#annotateAndFork(first);
    await this.#remove();
    return this.#transcript;
  }

  async #talk(input: string): Promise<string> {
    const claim = begun(await this.#accept({ input, begin: true }));
    await this.#append(claim, claim.nextSeq, [{ type: "chunk", text: "a" }]);
    await this.#call("renew", () => this.#ledger.renew(this.#key, claim));
    const more: RunEvent[] = [{ type: "chunk", text: "b" }];
    await this.#finish(claim, { events: more, nextSeq: claim.nextSeq + 1 });
    return claim.snapshotId;
  }

  async #handOver(): Promise<void> {
    await this.#accept({ input: "two", onBusy: "queue", requestId: "two" });
    await this.#accept({ input: "two", onBusy: "queue", requestId: "two" });
    const early = await this.#claim();
    await this.#append(early, early.nextSeq, [{ type: "chunk", text: "lost" }]);
    await this.#call("release", () => this.#ledger.release(this.#key, early));
    const claim = await this.#claim();
    this.#transcript.push(`attempt ${claim.attempt}`);
    const step = { key: stepKey(claim.runId, "tool"), value: `{"epoch":${claim.epoch}}` };
    await this.#call("append", () => this.#ledger.appendRows(this.#key, claim, [step]));
    await this.#finish(claim, { status: "failed", finishReason: "failed" });
  }

  async #abortRunningAndQueued(): Promise<void> {
    const claim = begun(await this.#accept({ input: "three", begin: true }));
    const queued = accepted(await this.#accept({ input: "four", onBusy: "queue" }));
    const { runId } = claim;
    const { snapshotId } = queued;
    await this.#call("abort", () => this.#ledger.abort(this.#key, { snapshotId }));
    await this.#call("abort", () => this.#ledger.abort(this.#key, { runId }));
    await this.#append(claim, claim.nextSeq, [{ type: "chunk", text: "too late" }]);
    await this.#call("release", () => this.#ledger.release(this.#key, claim));
  }

  async #interrupt(): Promise<void> {
    const early = begun(await this.#accept({ input: "five", begin: true }));
    await this.#accept({ input: "six", onBusy: "interrupt" });
    await this.#finish(early, {});
    const claim = await this.#claim();
    await this.#finish(claim, { endsRun: false });
    const run = { runId: claim.runId, turn: 1 };
    const next = begun(await this.#accept({ input: "seven", begin: true, run }));
    await this.#finish(next, { endsRun: false });
    await this.#call("end", () => this.#ledger.endRun(this.#key, claim.runId));
    await this.#call("abort", () => this.#ledger.abort(this.#key, { runId: claim.runId }));
  }

  async #branch(parentId: string): Promise<void> {
    await this.#finish(begun(await this.#accept({ input: "eight", begin: true, parentId })), {});
  }

  async #annotateAndFork(snapshotId: string): Promise<void> {
    const { sessionId } = this.#copy;
    await this.#call("label", () => this.#tree.annotate(this.#key, { label: "good", snapshotId }));
    await this.#call("pin", () => this.#tree.annotate(this.#key, { pin: snapshotId }));
    await this.#call("fork", () => this.#tree.fork(this.#key, { snapshotId, sessionId }));
  }

  async #remove(): Promise<void> {
    await this.#call("remove", () => this.#ledger.remove(this.#copy));
    const again = await this.#tree.findHead(this.#copy);
    this.#transcript.push(`head of the removed: ${again?.snapshot.snapshotId}`);
  }

  async #accept(submission: Submission): Promise<AcceptAnswer> {
    return await this.#call("accept", () => this.#ledger.accept(this.#key, submission));
  }

  async #claim(): Promise<Claim> {
    const answer = await this.#call("claim", () => this.#ledger.claim(this.#key));
    if (answer.kind === "claimed") return answer.claim;
    throw new Error(`There was a turn to claim, but: ${JSON.stringify(answer)}`);
  }

  async #append(claim: Claim, seq: number, events: readonly RunEvent[]): Promise<void> {
    await this.#call("append", () => this.#ledger.appendEvents(this.#key, claim, { seq, events }));
  }

  async #finish(claim: Claim, outcome: Partial<TurnOutcome>): Promise<FinishAnswer> {
    const work = await this.#ledger.work(this.#key, claim);
    const { messages } = work.start?.content ?? EMPTY_CONTENT;
    const text = `${JSON.stringify(work.inputs[0])} after ${messages.length}`;
    const said = { role: "model" as const, content: [{ text }] };
    const content = { messages: messages.grow([said]), artifacts: [] };
    return await this.#call("finish", () =>
      this.#ledger.finish(this.#key, work, { status: "completed", content, ...outcome }),
    );
  }

  async #call<Answer extends string | { readonly kind: string }>(
    name: string,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const answer = await call().catch((error: unknown) => {
      if (TurnkeepError.is(error) && error.retryable) return call();
      throw error;
    });
    this.#transcript.push(`${name}: ${typeof answer === "string" ? answer : answer.kind}`);
    return answer;
  }
}

function accepted(answer: AcceptAnswer) {
  if (answer.kind === "accepted") return answer.turn;
  throw new Error(`There was no reason to refuse, but: ${JSON.stringify(answer)}`);
}

function begun(answer: AcceptAnswer): Claim {
  if (answer.kind === "accepted" && answer.claim) return answer.claim;
  throw new Error(`There was a free slot, but: ${JSON.stringify(answer)}`);
}
