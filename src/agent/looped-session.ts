import { EMPTY_CONTENT } from "../ledger/index.ts";
import type { AgentResult, Json } from "../protocol/index.ts";
import type { RunSession, TurnHandler } from "./agent-function.ts";
import type { InputChannel } from "./input-channel.ts";
import type { SubmittedInput } from "./run-keeper.ts";
import { Session } from "./session.ts";
import type { TurnLoop } from "./turn-loop.ts";

/** The session of a run, which its loop takes turns on. */
export class LoopedSession<Custom = Json> extends Session<Custom> implements RunSession<Custom> {
  readonly #loop: TurnLoop<Custom>;
  readonly #inputs: InputChannel<SubmittedInput>;

  constructor(sessionId: string, loop: TurnLoop<Custom>, inputs: InputChannel<SubmittedInput>) {
    super(sessionId, EMPTY_CONTENT, loop);
    this.#loop = loop;
    this.#inputs = inputs;
  }

  run(handler: TurnHandler): Promise<void> {
    return this.#loop.run(this, handler);
  }

  hasNoMoreInputs(): boolean {
    return this.#inputs.isOver;
  }

  result(): AgentResult {
    const { messages, artifacts } = this.content;
    const last = messages.last();
    // What the user said is no answer.
    const message = last?.role === "user" ? undefined : last;
    return { ...(message && { message }), ...(artifacts.length > 0 && { artifacts }) };
  }
}
