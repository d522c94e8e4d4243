import {
  chunkEvent,
  EMPTY_CONTENT,
  hashText,
  HeldEvent,
  type NumberedEvent,
  type RunEvent,
  type SessionContent,
  startedEvent,
  stateTooLarge,
} from "../ledger/index.ts";
import type { AgentInput, Json, Resume } from "../protocol/index.ts";
import { acceptError } from "./accept-error.ts";
import { isAnswerTo } from "./is-answer-to.ts";
import { SignalStop, type Stop } from "./stop-switch.ts";
import { type JournaledStep, stepValue, type StepWork } from "./tool-steps.ts";
import type {
  BegunTurn,
  EndedTurn,
  RunKeeper,
  StartPoint,
  SubmittedInput,
  TurnEnding,
} from "./run-keeper.ts";

export interface CarriedRunOptions {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  /** The state the client sent, once it was checked. */
  readonly content: () => Promise<SessionContent>;
  /** How long the state may be, as JSON. */
  readonly mostCharacters: number;
  /** Whether readers need to know what each turn starts from. */
  readonly notesStarts: boolean;
  /** Aborts when the caller stops the run. */
  readonly signal: AbortSignal;
}

/** A run of an agent without a store: nothing is kept, the client gets the state back and brings it along next time. */
export class CarriedRun implements RunKeeper {
  readonly tenant: string;
  readonly sessionId: string;
  readonly runId: string;
  readonly #stop: Stop;
  readonly #mostCharacters: number;
  readonly #notesStarts: boolean;
  readonly #load: () => Promise<SessionContent>;
  #content: SessionContent = EMPTY_CONTENT;
  #listener: (events: readonly NumberedEvent[]) => void = () => {};
  #isOver = false;
  #inputs = 0;
  #turns = 0;
  #steps = 0;
  /** What the turn answers, and the steps of the run before it. */
  #questionId: string | undefined;
  #earlierSteps = 0;
  #seq = 0;

  constructor(options: CarriedRunOptions) {
    this.tenant = options.tenant;
    this.sessionId = options.sessionId;
    this.runId = options.runId;
    this.#mostCharacters = options.mostCharacters;
    this.#notesStarts = options.notesStarts;
    this.#load = options.content;
    this.#stop = new SignalStop(options.signal);
  }

  readonly subscribe = (listener: (events: readonly NumberedEvent[]) => void): void => {
    this.#listener = listener;
  };

  readonly start = async (): Promise<StartPoint> => {
    this.#content = await this.#load();
    return { content: this.#content };
  };

  readonly submit = async (input: AgentInput): Promise<SubmittedInput> => {
    if (this.#isOver) throw acceptError({ kind: "run-over" }, this.sessionId);
    this.#inputs += 1;
    return { input, number: this.#inputs - 1, isClaimed: true };
  };

  readonly begin = (): BegunTurn => {
    this.#questionId = undefined;
    return {
      content: this.#content,
      snapshotId: undefined,
      parentSnapshotId: undefined,
      attempt: 1,
      stop: this.#stop,
    };
  };

  // Who carries the state may bring it back any number of times; the keys of the steps tell that it is the same question.
  readonly answer = async (
    content: SessionContent,
    resume: Resume,
  ): Promise<string | undefined> => {
    this.#earlierSteps = this.#steps;
    this.#questionId = isAnswerTo(content, resume)
      ? hashText(JSON.stringify([this.sessionId, content.messages.all()]))
      : undefined;
    return this.#questionId;
  };

  readonly started = (content: SessionContent): void => {
    if (this.#notesStarts) this.#publish(startedEvent(this.#turns, content));
  };

  readonly emit = (chunkJson: string): void => {
    if (this.#isOver) return;
    this.#listener([new HeldEvent(this.#nextSeq(), chunkEvent(chunkJson))]);
  };

  readonly end = async ({
    content,
    status,
    finishReason,
    error,
  }: TurnEnding): Promise<EndedTurn> => {
    if (this.#isOver) return { kind: "stopped" };
    // As with a store, what a failed turn kept is part of the conversation: an empty input tries it again.
    this.#content = status === "completed" ? this.#checked(content) : content;
    this.#publish({
      type: "turnEnd",
      turn: this.#turns,
      status,
      ...(finishReason !== undefined && { finishReason }),
      ...(error !== undefined && { error }),
    });
    this.#turns += 1;
    return { kind: "kept" };
  };

  readonly close = (): EndedTurn => {
    const isUnheard = this.#turns < this.#inputs;
    this.abandon();
    return { kind: isUnheard ? "stopped" : "kept" };
  };

  // Nobody else will end what was begun here, or what was not asked for.
  readonly abandon = (): void => {
    this.#isOver = true;
    for (; this.#turns < this.#inputs; this.#turns += 1) {
      const end = { status: "aborted", finishReason: "aborted" } as const;
      this.#publish({ type: "turnEnd", turn: this.#turns, ...end });
    }
  };

  readonly readOn = (): undefined => undefined;

  readonly release = async (): Promise<void> => {};

  readonly savesRounds = false;

  readonly saveRound = async (): Promise<undefined> => undefined;

  readonly link = async (): Promise<void> => {};

  // Nobody takes such a run over, so there is nothing to write down.
  readonly step = async ({ name, input, signal }: JournaledStep, work: StepWork): Promise<Json> => {
    stepValue(input, name, "input");
    this.#steps += 1;
    const idempotencyKey =
      this.#questionId === undefined
        ? `${this.runId}.${this.#steps}`
        : `${this.#questionId}.${this.#steps - this.#earlierSteps}`;
    const output = await work({ idempotencyKey, signal });
    return structuredClone(stepValue(output, name, "result"));
  };

  #checked(content: SessionContent): SessionContent {
    if (JSON.stringify(content).length > this.#mostCharacters)
      throw stateTooLarge(this.#mostCharacters);
    return content;
  }

  #publish(event: RunEvent): void {
    this.#listener([{ seq: this.#nextSeq(), event }]);
  }

  #nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }
}
