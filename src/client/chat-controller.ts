import type {
  AgentFinishReason,
  AgentInput,
  AgentOutput,
  Json,
  Message,
  SessionSnapshot,
  SessionState,
} from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";
import type { ChatAgent, ChatOptions } from "./chat-agent.ts";
import { orMissing, toError } from "./chat-error.ts";
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

  /** Sends a message, at once or when the turn under way has ended. */
  readonly send = (message: string | Message): void => {
    const sent: Message =
      typeof message === "string" ? { role: "user", content: [{ text: message }] } : message;
    this.#set({ queued: [...this.#state.queued, sent] });
    this.#sendNext();
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
    if (this.#isBusy || message === undefined) return;
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
        if (!signal.aborted) this.#settle({ status: "failed", error });
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
      return this.#settle({ status: "idle" });
    }
    if (ear.aborted) return undefined;
    this.#save({ ...turn, runId: connection.runId });
    connection.close();
    await this.#hear(connection.events(), ear);
    const output = await connection.output();
    return ear.aborted ? undefined : this.#end(output);
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
      this.#set({ status: "streaming" });
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
    // Nothing of one that was aborted is kept; what was said stays, as it would without a reload.
    if (ended && ended.status !== "aborted") this.#show(ended);
    return this.#settle({});
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

  #end(output: AgentOutput<Custom, Output>): void {
    const { message, artifacts = [], finishReason, snapshotId, state, error } = output;
    this.#words.settle(message);
    if (finishReason !== "aborted") this.#head = snapshotId ?? this.#head;
    this.#carried = state ?? this.#carried;
    this.#settle({
      ...(state && { state: state.custom, sessionId: state.sessionId }),
      artifacts: withArtifacts(this.#state.artifacts, artifacts),
      ...this.#outcome(finishReason, message),
      error: error && toError(error),
    });
  }

  // The turn is over, and what was said in it is said.
  #settle(change: Partial<ChatState<Custom>>): void {
    this.#settled = [...this.#settled, ...this.#words.messages];
    this.#words.clear();
    this.#save();
    const { status } = this.#state;
    const isOpen = status === "sending" || status === "streaming";
    this.#set({ messages: this.#settled, ...(isOpen && { status: "idle" }), ...change });
  }

  #show(snapshot: SessionSnapshot<Custom> | undefined): void {
    const { snapshotId, status, finishReason, state, error } = snapshot ?? {};
    this.#words.clear();
    this.#head = status === "pending" ? undefined : snapshotId;
    this.#settled = state?.messages ?? [];
    this.#set({
      messages: this.#settled,
      state: state?.custom,
      artifacts: state?.artifacts ?? [],
      ...this.#outcome(finishReason, this.#settled.at(-1)),
      error: error && toError(error),
    });
  }

  #outcome(
    finishReason: AgentFinishReason | undefined,
    message: Message | undefined,
  ): Pick<ChatState<Custom>, "status" | "interrupts"> {
    const isInterrupted = finishReason === "interrupted";
    const isKnown = isInterrupted || finishReason === "failed" || finishReason === "detached";
    return {
      status: isKnown ? finishReason : "idle",
      interrupts: isInterrupted ? interruptsOf(message, (resume) => this.#begin({ resume })) : [],
    };
  }

  #save(turn?: OpenTurn): void {
    if (!this.#carries) this.#memory.save({ sessionId: this.#sessionId, ...(turn && { turn }) });
  }
}
