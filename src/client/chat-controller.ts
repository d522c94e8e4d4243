import {
  type AgentFinishReason,
  type AgentInput,
  type AgentOutput,
  errorFromData,
  type Json,
  type Message,
  type SessionSnapshot,
  type SessionState,
} from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";
import type { ChatAgent, ChatOptions } from "./chat-agent.ts";
import { orMissing } from "./chat-error.ts";
import { ChatMemory, type OpenTurn } from "./chat-memory.ts";
import { type ChatState, EMPTY_CHAT, withArtifacts } from "./chat-state.ts";
import { systemPorts } from "./client-ports.ts";
import { interruptsOf } from "./interrupts.ts";
import { LiveCustom } from "./live-custom.ts";
import { TurnWords } from "./turn-words.ts";

/** One chat with an agent: what is shown of it, and what can be done. Knows no framework. */
export class ChatController<Custom = Json, Output = Json> {
  readonly #agent: ChatAgent<Custom, Output>;
  readonly #options: ChatOptions;
  readonly #memory: ChatMemory;
  readonly #words = new TurnWords();
  readonly #listeners = new Set<() => void>();
  readonly #live: LiveCustom;
  #state: ChatState<Custom> = EMPTY_CHAT;
  #settled: readonly Message[] = [];
  /** The last message of the kept conversation, whose requests may wait. */
  #last: Message | undefined;
  #head: string | undefined;
  #carried: SessionState<Custom> | undefined;
  #isBusy = false;
  #isStopped = false;
  #ear = new AbortController();
  #abort: () => void = () => {};

  constructor(agent: ChatAgent<Custom, Output>, options: ChatOptions = {}) {
    this.#agent = agent;
    this.#options = options;
    this.#memory = new ChatMemory(options.storage, options.storageKey ?? `turnkeep:${agent.name}`);
    this.#live = new LiveCustom(agent, () => this.#sessionId);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getState = (): ChatState<Custom> => this.#state;

  /** Shows what was said before, and goes on listening to a turn that has not ended. */
  readonly start = (): void => {
    const { sessionId = this.#memory.load()?.sessionId } = this.#options;
    if (sessionId === undefined || this.#carries) return;
    this.#set({ sessionId });
    this.#listen((ear) => this.#rejoin(ear));
  };

  /** Stops listening. What runs, goes on; `start` comes back to it. */
  readonly leave = (): void => {
    this.#ear.abort(null);
    this.#isBusy = false;
  };

  /** Sends a message: at once, or when the turn under way has ended and nothing waits for a person. */
  readonly send = (message: string | Message): void => {
    const sent: Message =
      typeof message === "string" ? { role: "user", content: [{ text: message }] } : message;
    this.#set({ queued: [...this.#state.queued, sent] });
    this.#sendNext();
  };

  /** Drops what waits for a person: each request is denied, so that no tool runs and the model is told. Queued messages are sent after that. */
  readonly denyAll = (reason?: string): void => {
    for (const { deny } of this.#state.interrupts) deny(reason);
  };

  /** Aborts the turn under way. What is queued waits for the next message. */
  readonly stop = (): void => {
    this.#isStopped = true;
    if (this.#isBusy) this.#abort();
  };

  /** Lets the turn under way go on without listening to it. */
  readonly detach = (): void => {
    if (!this.#isBusy) return;
    this.leave();
    this.#set({ status: "detached" });
  };

  get #sessionId(): string {
    return this.#state.sessionId ?? "";
  }

  get #carries(): boolean {
    return this.#agent.metadata.stateManagement === "client";
  }

  #set(change: Partial<ChatState<Custom>>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  #sendNext(): void {
    const [message, ...queued] = this.#state.queued;
    const isWaiting = this.#isBusy || this.#state.interrupts.length > 0;
    if (isWaiting || message === undefined) return;
    this.#set({ queued });
    this.#begin({ message });
  }

  #begin(input: AgentInput): void {
    const { newId } = systemPorts;
    if (this.#sessionId === "" && !this.#carries) this.#set({ sessionId: newId() });
    const parent = this.#head === undefined ? {} : { parentId: this.#head };
    const turn = { input, requestId: newId(), ...parent };
    this.#listen((ear) => this.#take(turn, ear));
  }

  // One turn is listened to at a time. Whoever holds an older ear has nothing to say any more.
  #listen(work: (ear: AbortSignal) => Promise<void>): void {
    this.leave();
    const { signal } = (this.#ear = new AbortController());
    this.#isBusy = true;
    this.#isStopped = false;
    work(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#settle("failed", { error });
      })
      .finally(() => {
        if (signal.aborted) return;
        this.#isBusy = false;
        if (this.#state.status === "idle" && !this.#isStopped) this.#sendNext();
      });
  }

  async #take(turn: OpenTurn, ear: AbortSignal): Promise<void> {
    this.#open(turn, "sending");
    const stop = new AbortController();
    this.#abort = () => stop.abort(null);
    const { onBusy } = this.#options;
    const start = this.#carries
      ? { ...(this.#carried && { state: this.#carried }) }
      : { sessionId: this.#sessionId, requestId: turn.requestId };
    const connection = this.#agent.connect({
      ...start,
      ...(onBusy && { onBusy }),
      signal: stop.signal,
    });
    try {
      await connection.send(turn.input);
    } catch (error) {
      if (!stop.signal.aborted) throw error;
      return this.#settle("aborted");
    }
    if (ear.aborted) return undefined;
    this.#save({ ...turn, runId: connection.runId });
    connection.close();
    await this.#hear(connection.events(), ear);
    const output = await connection.output();
    const kept = await this.#read(output);
    return ear.aborted ? undefined : this.#end(output, kept);
  }

  // What the conversation is after the turn. What was streamed may be less, or more.
  async #read(output: AgentOutput<Custom, Output>): Promise<SessionState<Custom> | undefined> {
    const { state, snapshotId, finishReason } = output;
    // Nothing of an aborted turn is kept; what was said stays until the next one has ended.
    if (state || finishReason === "aborted") return state;
    const reading =
      snapshotId === undefined
        ? this.#agent.getLatestSnapshot(this.#sessionId)
        : this.#agent.getSnapshot(snapshotId);
    return await reading.then(
      (snapshot) => snapshot.state ?? {},
      () => undefined,
    );
  }

  async #rejoin(ear: AbortSignal): Promise<void> {
    const saved = this.#memory.load();
    for (;;) {
      const latest = await this.#agent.getLatestSnapshot(this.#sessionId).catch(orMissing);
      if (ear.aborted) return;
      this.#show(latest);
      const isOwn = saved?.turn !== undefined && saved.sessionId === this.#sessionId;
      // As long as the session has not moved on, none of the turn is in what is shown.
      if (isOwn && saved.turn.parentId === this.#head) return await this.#resume(saved.turn, ear);
      this.#save();
      const others = await this.#agent.listSnapshots(this.#sessionId).catch(() => []);
      const pending = others.find(({ status }) => status === "pending");
      if (pending === undefined || ear.aborted) return;
      this.#abort = () => void this.#agent.abort(pending.snapshotId).catch(() => {});
      this.#set({ status: "streaming", interrupts: [] });
      await this.#agent.waitFor(pending.snapshotId, { signal: ear });
    }
  }

  async #resume(turn: OpenTurn, ear: AbortSignal): Promise<void> {
    const { runId } = turn;
    // Nobody knows whether it arrived; its key keeps it from being done twice.
    if (runId === undefined) return await this.#take(turn, ear);
    this.#open(turn, "streaming");
    this.#abort = () => void this.#agent.abort(runId).catch(() => {});
    const snapshotId = await this.#hear(this.#agent.attach(runId, { signal: ear }), ear);
    const ended = snapshotId === undefined ? undefined : await this.#agent.getSnapshot(snapshotId);
    if (ear.aborted) return undefined;
    // As without a reload, what was said in an aborted one stays.
    if (ended === undefined || ended.status === "aborted") return this.#settle("aborted");
    this.#show(ended);
    return this.#save();
  }

  async #hear(
    updates: AsyncIterable<RunUpdate<unknown>>,
    ear: AbortSignal,
  ): Promise<string | undefined> {
    let snapshotId: string | undefined;
    for await (const update of updates) {
      await this.#live.take(update);
      if (ear.aborted) return undefined;
      const { modelChunk, artifact, customPatch, turnEnd } = update.chunk ?? {};
      if (update.type === "restarted") this.#words.clear();
      if (modelChunk) this.#words.add(modelChunk);
      snapshotId = turnEnd?.snapshotId ?? snapshotId;
      this.#set({
        status: "streaming",
        messages: [...this.#settled, ...this.#words.messages],
        ...(customPatch && { state: this.#live.value as Custom | undefined }),
        ...(artifact && { artifacts: withArtifacts(this.#state.artifacts, [artifact]) }),
      });
    }
    return snapshotId;
  }

  #open(turn: OpenTurn, status: "sending" | "streaming"): void {
    const { message } = turn.input;
    this.#save(turn);
    this.#words.clear();
    this.#settled = [...this.#settled, ...(message ? [message] : [])];
    this.#set({ status, messages: this.#settled, interrupts: [], error: undefined });
  }

  #end(output: AgentOutput<Custom, Output>, kept: SessionState<Custom> | undefined): void {
    const { finishReason, snapshotId, state, error } = output;
    if (finishReason !== "aborted") this.#head = snapshotId ?? this.#head;
    this.#carried = state ?? this.#carried;
    this.#settle(finishReason, {
      ...(kept ? this.#takeKept(kept) : this.#takeSaid(output)),
      ...(state && { sessionId: state.sessionId }),
      error: error && errorFromData(error),
    });
  }

  #takeKept(kept: SessionState<Custom>): Pick<ChatState<Custom>, "state" | "artifacts"> {
    const { messages = [], custom, artifacts = [] } = kept;
    this.#words.clear();
    this.#settled = messages;
    this.#last = messages.at(-1);
    return { state: custom, artifacts };
  }

  // Where nothing is kept, or it could not be read.
  #takeSaid(output: AgentOutput<Custom, Output>): Pick<ChatState<Custom>, "artifacts"> {
    const { message, artifacts = [] } = output;
    this.#words.settle(message);
    this.#last = message ?? this.#last;
    return { artifacts: withArtifacts(this.#state.artifacts, artifacts) };
  }

  // The turn is over, and what was said in it is said.
  #settle(
    finishReason: AgentFinishReason | undefined,
    change: Partial<ChatState<Custom>> = {},
  ): void {
    this.#settled = [...this.#settled, ...this.#words.messages];
    this.#words.clear();
    this.#save();
    this.#set({ messages: this.#settled, ...this.#outcome(finishReason), ...change });
  }

  #show(snapshot: SessionSnapshot<Custom> | undefined): void {
    const { snapshotId, status, finishReason, state, error } = snapshot ?? {};
    const isPending = status === "pending";
    const shown = this.#takeKept(state ?? {});
    this.#head = isPending ? undefined : snapshotId;
    if (isPending) this.#last = undefined;
    this.#set({
      messages: this.#settled,
      ...shown,
      ...this.#outcome(finishReason),
      error: error && errorFromData(error),
    });
  }

  // What waits is told by the conversation, however the last turn ended.
  #outcome(
    finishReason: AgentFinishReason | undefined,
  ): Pick<ChatState<Custom>, "status" | "interrupts"> {
    const interrupts = interruptsOf(this.#last, (resume) => this.#begin({ resume }));
    const isShown =
      finishReason === "interrupted" || finishReason === "failed" || finishReason === "detached";
    const status = isShown ? finishReason : "idle";
    return { status: interrupts.length > 0 ? "interrupted" : status, interrupts };
  }

  #save(turn?: OpenTurn): void {
    if (!this.#carries) this.#memory.save({ sessionId: this.#sessionId, ...(turn && { turn }) });
  }
}
