import type { Agent, CallOptions, RunUpdate, SessionSnapshot } from "../../agent/index.ts";
import { type AgentInput, type AgentOutputData, TurnkeepError } from "../../protocol/index.ts";
import type { Terminal } from "../command.ts";
import { type Paint, paintFor } from "../paint.ts";
import { plural } from "../plural.ts";
import { visibleText } from "../visible-text.ts";
import { askPerson } from "./ask-person.ts";
import { CHAT_WORDS, findWord } from "./chat-words.ts";
import { LineReader } from "./line-reader.ts";
import { findHead, lastSaid } from "./snapshot-path.ts";
import { beginTurn, joinTurn, type SpokenTurn } from "./spoken-turn.ts";
import { TurnPrinter } from "./turn-printer.ts";

export interface ChatOptions {
  readonly agent: Agent;
  readonly sessionId: string;
  readonly tenant?: string;
  /** Every update and output as a line of JSON, and nothing else. */
  readonly isJson: boolean;
}

/** A talk with an agent, in a terminal or through pipes. */
export class Chat {
  readonly agent: Agent;
  readonly paint: Paint;
  readonly #terminal: Terminal;
  readonly #isJson: boolean;
  readonly #reader: LineReader;
  readonly owner: { readonly tenant?: string };
  /** Where the next message goes on. */
  place: CallOptions;
  sessionId: string;
  #turn: SpokenTurn | undefined;
  #isOver = false;

  constructor(terminal: Terminal, { agent, sessionId, tenant, isJson }: ChatOptions) {
    this.#terminal = terminal;
    this.#isJson = isJson;
    this.agent = agent;
    this.sessionId = sessionId;
    this.place = { sessionId };
    this.owner = tenant === undefined ? {} : { tenant };
    this.paint = paintFor(terminal);
    this.#reader = new LineReader({
      terminal,
      words: CHAT_WORDS.map(({ name }) => name),
      takeAtOnce: (line) => this.#takeAtOnce(line),
      onInterrupt: () => this.interrupt(),
    });
    void terminal.asksToStop().then(() => this.quit());
  }

  /** Talks until there is nothing more to read. */
  async talk(): Promise<void> {
    await this.#try(() => this.#greet());
    while (!this.#isOver) {
      // Lines are taken one after the other.
      // oxlint-disable-next-line no-await-in-loop
      const line = await this.#reader.read(this.paint.bold("you> "));
      if (line === undefined) break;
      // oxlint-disable-next-line no-await-in-loop
      if (line.trim() !== "") await this.#try(() => this.#take(line.trim()));
    }
    this.#reader.close();
  }

  /** The first time stops the turn; when there is none, the talk. */
  interrupt(): void {
    if (this.#turn) void this.#turn.abort().catch(() => {});
    else this.quit();
  }

  quit(): void {
    this.#isOver = true;
    void this.#turn?.leave().catch(() => {});
    this.#reader.close();
  }

  /** A line for people. */
  say(text: string): void {
    if (!this.#isJson) this.#terminal.out(text);
  }

  async send(input: AgentInput): Promise<void> {
    const options = { onBusy: "queue", ...this.place, ...this.owner } as const;
    const output = await this.listen(await beginTurn(this.agent, input, options));
    this.#moveOn(output);
    if (output.finishReason !== "interrupted") return;
    const resume = await askPerson(output.message, {
      out: (line) => this.say(line),
      ask: (prompt) => this.#reader.read(prompt),
      paint: this.paint,
    });
    if (resume) await this.send({ resume });
  }

  /** Listens to the turn that is under way, if there is one; whether there was. */
  async join(): Promise<boolean> {
    const snapshots = await this.agent.listSnapshots(this.sessionId, this.owner);
    const running = snapshots.findLast(({ status }) => status === "pending");
    if (running?.runId === undefined) return false;
    const { runId, snapshotId } = running;
    this.say(this.paint.dim("  A turn is under way:"));
    this.#moveOn(await this.listen(joinTurn(this.agent, { runId, snapshotId }, this.owner)));
    return true;
  }

  async listen(turn: SpokenTurn): Promise<AgentOutputData> {
    const printer = new TurnPrinter(this.#terminal);
    const show = (update: RunUpdate): void =>
      this.#isJson ? this.#terminal.out(JSON.stringify({ update })) : printer.show(update);
    this.#turn = turn;
    try {
      for await (const update of turn.updates) show(update);
      const output = await turn.output();
      if (this.#isJson) this.#terminal.out(JSON.stringify({ output }));
      else printer.end(output);
      return output;
    } finally {
      this.#turn = undefined;
    }
  }

  async head(): Promise<SessionSnapshot | undefined> {
    const { snapshotId } = this.place;
    return snapshotId === undefined
      ? await findHead(this.agent, this.sessionId, this.owner)
      : await this.agent.getSnapshot(snapshotId, this.owner);
  }

  async #greet(): Promise<void> {
    const { name, description } = this.agent;
    const { bold, dim } = this.paint;
    this.say(`${bold(name)}${description === undefined ? "" : `  ${dim(description)}`}`);
    const head = await this.head();
    const turns = head?.state?.messages?.filter(({ role }) => role === "user").length ?? 0;
    const where =
      head === undefined || turns === 0
        ? "a new session"
        : `${plural(turns, "turn")} in, last: "${visibleText(lastSaid(head))}"`;
    this.say(dim(`session ${this.sessionId}, ${where}. /help tells more; Ctrl-C stops a turn.`));
    await this.join();
  }

  async #take(line: string): Promise<void> {
    if (!line.startsWith("/")) {
      await this.send({ message: { role: "user", content: [{ text: line }] } });
      return;
    }
    const { word, rest } = findWord(line);
    if (word) await word.run(this, rest);
    else
      this.say(this.paint.red(`  There is no ${line.split(" ")[0]}. /help lists what there is.`));
  }

  // While a turn is under way, the only words that do not wait for its end are those about it.
  #takeAtOnce(line: string): boolean {
    if (this.#turn === undefined || line.trim() !== "/detach") return false;
    void this.#turn.leave().catch(() => {});
    return true;
  }

  // A branch that was not taken, since the turn failed, is still the place to go on at.
  #moveOn({ finishReason, sessionId, state }: AgentOutputData): void {
    if (state) this.place = { state };
    else if (finishReason !== "failed" && finishReason !== "aborted") {
      this.sessionId = sessionId ?? this.sessionId;
      this.place = { sessionId: this.sessionId };
    }
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!TurnkeepError.is(error)) throw error;
      if (this.#isJson) this.#terminal.out(JSON.stringify({ error: error.message }));
      else this.#terminal.err(this.paint.red(`  ${visibleText(error.message)}`));
    }
  }
}
