import type { TurnContext } from "./agent-function.ts";
import type { CallContext } from "./call-context.ts";
import type { BegunTurn, RunKeeper } from "./run-keeper.ts";
import type { Session } from "./session.ts";
import type { StopSwitch } from "./stop-switch.ts";
import type { TurnLoop } from "./turn-loop.ts";

export interface RunningTurnOptions {
  readonly keeper: RunKeeper;
  readonly begun: BegunTurn;
  readonly turnIndex: number;
  readonly context: CallContext;
  readonly stop: StopSwitch;
  readonly keep: () => void;
  readonly session: Pick<Session, "content">;
  readonly loop: Pick<TurnLoop<never>, "saveRound" | "stepFailed">;
  /** Names the interrupt that the turn answers, if it does. */
  readonly questionId: string | undefined;
}

/** A turn as its handler, and the code that it calls, know it. What most turns do not ask for is made when it is asked for. */
export class RunningTurn implements TurnContext {
  readonly sessionId: string;
  readonly tenant: string;
  readonly context: CallContext;
  readonly turnIndex: number;
  readonly attempt: number;
  readonly keep: () => void;
  // Where nothing is kept there is no such member.
  declare readonly snapshotId?: string;
  declare readonly parentSnapshotId?: string;
  declare readonly questionId?: string;
  readonly #keeper: RunKeeper;
  readonly #stop: StopSwitch;
  readonly #session: RunningTurnOptions["session"];
  readonly #loop: RunningTurnOptions["loop"];

  constructor(options: RunningTurnOptions) {
    const { keeper, begun, turnIndex, context, stop, keep } = options;
    this.sessionId = keeper.sessionId;
    this.tenant = keeper.tenant;
    this.context = context;
    this.turnIndex = turnIndex;
    this.attempt = begun.attempt;
    this.keep = keep;
    if (begun.snapshotId !== undefined) this.snapshotId = begun.snapshotId;
    if (begun.parentSnapshotId !== undefined) this.parentSnapshotId = begun.parentSnapshotId;
    if (options.questionId !== undefined) this.questionId = options.questionId;
    this.#keeper = keeper;
    this.#stop = stop;
    this.#session = options.session;
    this.#loop = options.loop;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get snapshot(): TurnContext["snapshot"] {
    return () => this.#loop.saveRound(this.#session.content, true);
  }

  get endToolRound(): TurnContext["endToolRound"] {
    return async () =>
      this.#keeper.savesRounds
        ? await this.#loop.saveRound(this.#session.content, false)
        : undefined;
  }

  get linkSession(): TurnContext["linkSession"] {
    return (linked) => this.#keeper.link(linked);
  }

  get step(): TurnContext["step"] {
    return async (named, work) => {
      // A step of a turn that has ended would be one of the next.
      if (this.#stop.isStopped) throw this.#stop.reason;
      const stepping = this.#keeper.step({ ...named, signal: this.signal }, work);
      return (await stepping.catch(this.#loop.stepFailed)) as never;
    };
  }
}
