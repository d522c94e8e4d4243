import type { GenerateResponseData, MessageData } from "genkit";
import type { Message, RunSession, TurnContext } from "../agent/index.ts";
import { ourMessages } from "./genkit-types.ts";
import type { JsonObject } from "../protocol/index.ts";
import { addToHistory } from "./sub-agent-memory.ts";

/** What a turn adds to the talk, round by round. What the prompt and middleware put in between never gets here. */
export class TurnRecord {
  readonly #session: RunSession<never>;
  readonly #turn: TurnContext;
  readonly #before: readonly Message[];
  #resumed: readonly Message[] | undefined;
  #rounds: readonly (readonly Message[])[] = [];
  #usage: Readonly<Record<string, number>> = {};
  #isBlocked = false;

  constructor(session: RunSession<never>, turn: TurnContext) {
    this.#session = session;
    this.#turn = turn;
    this.#before = session.messages();
  }

  /** Whether the requests that waited are behind us. */
  get isResumed(): boolean {
    return this.#resumed !== undefined;
  }

  /** The requests that waited are settled: the message that held them is replaced. Resolves like `roundsDone`. */
  async resumed(request: readonly MessageData[]): Promise<void> {
    this.#resumed = lastRound(request);
    this.#keep();
    await this.#turn.endToolRound();
  }

  /** This many rounds of tools are complete; the request holds the last of them. Resolves when a snapshot of it is saved, where there is to be one. */
  async roundsDone(count: number, request: readonly MessageData[]): Promise<void> {
    this.#rounds = [...this.#rounds.slice(0, count - 1), lastRound(request)];
    this.#keep();
    await this.#turn.endToolRound();
  }

  /** The waiting message has changed and waits on. */
  stillPending(message: Message): void {
    this.#session.setMessages(addToHistory(this.#before.slice(0, -1), [message]));
    this.#turn.keep();
  }

  /** The model's last word. */
  finish(message: Message | undefined): void {
    const added = message ? [message] : [];
    // Without rounds of tools the talk only grows, which costs nothing for what was there before.
    if (this.#session.messages() === this.#before) this.#session.addMessages(...added);
    else this.#session.setMessages(addToHistory(this.#unchanged(), [...this.#added(), ...added]));
  }

  /** What the model answered last. */
  modelAnswered({ usage, finishReason }: GenerateResponseData): void {
    this.#isBlocked = finishReason === "blocked";
    this.#addUsage(usage);
  }

  /** Whether the model refused to answer. A generation inside of a tool does not count. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  get usage(): JsonObject | undefined {
    return Object.keys(this.#usage).length === 0 ? undefined : this.#usage;
  }

  #addUsage(usage: object | undefined): void {
    const next: Record<string, number> = { ...this.#usage };
    for (const [key, value] of Object.entries(usage ?? {})) {
      if (typeof value === "number") next[key] = (next[key] ?? 0) + value;
    }
    this.#usage = next;
  }

  #keep(): void {
    this.#session.setMessages(addToHistory(this.#unchanged(), this.#added()));
    this.#turn.keep();
  }

  #unchanged(): readonly Message[] {
    return this.#resumed ? this.#before.slice(0, -1) : this.#before;
  }

  #added(): readonly Message[] {
    return [...(this.#resumed ?? []), ...this.#rounds.flat()];
  }
}

// A round is the model's message and, where tools answered, theirs.
function lastRound(request: readonly MessageData[]): readonly Message[] {
  const start = request.findLastIndex(({ role }) => role === "model");
  return start === -1 ? [] : ourMessages(request.slice(start));
}
