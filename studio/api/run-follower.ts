import {
  applyPatch,
  type Artifact,
  decodeSse,
  type Json,
  type JsonPatchOperation,
  type Message,
  type Part,
} from "turnkeep/protocol";
import { ApiError, apiUrl, ask, pathOf } from "./request.ts";

/** What is known of a run while it is followed. */
export interface FollowedRun {
  readonly phase: "starting" | "running" | "ended";
  readonly runId?: string;
  readonly sessionId?: string;
  readonly traceId?: string;
  /** What the run was given, as far as it is known. */
  readonly input?: Message;
  /** The snapshot that it goes on from; `null` when it begins the session. */
  readonly base?: string | null;
  /** What it has said so far. */
  readonly parts: readonly Part[];
  readonly status?: Json;
  readonly custom?: { readonly value: Json; readonly revision: number };
  /** The pointers of the last patch, each with the revision that changed it. */
  readonly changed: ReadonlyMap<string, number>;
  readonly artifacts: readonly Artifact[];
  readonly snapshotId?: string;
  readonly finishReason?: string;
  readonly error?: { readonly status?: string; readonly message?: string };
  /** What a client that carries the state sends along next time. */
  readonly sessionState?: Json;
  readonly messages?: readonly Message[];
}

/** What an agent is asked to do. */
export interface ExecuteBody {
  readonly input: Json;
  readonly init?: Json;
}

const SILENCE_MS = 40_000;
const RETRY_MS = 1000;
// Who had to make room for another tab waits longer, and until somebody looks.
const EVICTED_MS = 3000;

/**
 * Follows one run, from its start or from any event on. The run is the server's: who stops following does not stop it. What
 * comes is shown once for each frame that is drawn.
 */
export class RunFollower {
  readonly #listeners = new Set<() => void>();
  readonly #left = new AbortController();
  #shown: FollowedRun = { phase: "starting", parts: [], changed: new Map(), artifacts: [] };
  #next: FollowedRun = this.#shown;
  #lastEventId: string | undefined;
  #isDrawn = true;
  #isEvicted = false;

  get run(): FollowedRun {
    return this.#shown;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Starts a run and follows it. @throws ApiError when it could not start. */
  async execute(
    agent: string,
    body: ExecuteBody,
    known: Pick<FollowedRun, "input" | "base"> & { readonly wantsMessages?: boolean },
  ): Promise<void> {
    const { wantsMessages = false, ...rest } = known;
    this.#change(rest);
    const url = apiUrl(`${pathOf("agents", agent)}/execute`, {
      messages: wantsMessages ? "all" : "none",
    });
    const response = await ask(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
      signal: this.#left.signal,
    });
    await this.#readAll(response);
  }

  /** Follows a run that is under way, or has ended. */
  async attach(runId: string, known: Pick<FollowedRun, "input" | "base"> = {}): Promise<void> {
    this.#change({ runId, ...known });
    await this.#readAll(await this.#reopen(runId));
  }

  leave(): void {
    this.#left.abort(null);
  }

  // Until the run says that it is done, however often the connection breaks.
  async #readAll(first: Response): Promise<void> {
    let response: Response | undefined = first;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop
      if (response) await this.#read(response).catch(() => {});
      const { phase, runId } = this.#next;
      if (phase === "ended" || this.#left.signal.aborted) return;
      if (runId === undefined) throw new ApiError("The answer broke off.", BROKEN);
      // oxlint-disable-next-line no-await-in-loop
      await this.#pause();
      // oxlint-disable-next-line no-await-in-loop
      response = await this.#reopen(runId).catch((error: unknown) => {
        // What is not there any more will not come back.
        if (error instanceof ApiError && error.code !== 0 && error.code < 500) throw error;
        return undefined;
      });
    }
  }

  async #pause(): Promise<void> {
    const pauseMs = this.#isEvicted ? EVICTED_MS : RETRY_MS;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (this.#isEvicted && document.visibilityState === "hidden") {
      await new Promise((resolve) =>
        document.addEventListener("visibilitychange", resolve, { once: true }),
      );
    }
    this.#isEvicted = false;
  }

  async #reopen(runId: string): Promise<Response> {
    const last = this.#lastEventId;
    const url = apiUrl(`${pathOf("runs", runId)}/stream`, { messages: "none" });
    return await ask(url, {
      signal: this.#left.signal,
      ...(last !== undefined && { headers: { "last-event-id": last } }),
    });
  }

  async #read({ body }: Response): Promise<void> {
    if (body === null) return;
    const silent = new AbortController();
    const signal = AbortSignal.any([this.#left.signal, silent.signal]);
    let timer = setTimeout(() => silent.abort(null), SILENCE_MS);
    const watched = body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          clearTimeout(timer);
          timer = setTimeout(() => silent.abort(null), SILENCE_MS);
          controller.enqueue(piece);
        },
      }),
    );
    try {
      for await (const { event, data, id } of decodeSse(watched, { signal })) {
        if (event === "evicted") this.#isEvicted = true;
        this.#take(event ?? "message", JSON.parse(data) as Frame);
        if (id) this.#lastEventId = id;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(event: string, frame: Frame): void {
    const take = TAKERS[event];
    if (take) this.#change(take(frame, this.#next));
  }

  #change(change: Partial<FollowedRun>): void {
    this.#next = { ...this.#next, ...change };
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    const draw = (): void => {
      if (this.#isDrawn) return;
      this.#isDrawn = true;
      this.#shown = this.#next;
      for (const listener of this.#listeners) listener();
    };
    requestAnimationFrame(draw);
    // A page that nobody sees draws no frames.
    setTimeout(draw, 250);
  }
}

const BROKEN = { code: 0, status: "UNAVAILABLE" };

/** What an event may say; which of it, its name tells. */
interface Frame {
  readonly runId: string;
  readonly sessionId: string;
  readonly traceId?: string;
  readonly input?: Message;
  readonly chunk: { readonly content?: readonly Part[] };
  readonly patch: readonly JsonPatchOperation[];
  readonly rev: number;
  readonly artifact: Artifact;
  readonly status: Json;
  readonly message: string;
  readonly custom?: Json;
  readonly snapshotId?: string;
  readonly finishReason?: string;
  readonly error?: { readonly status?: string; readonly message?: string };
  readonly sessionState?: Json;
  readonly messages?: readonly Message[];
}

type Taker = (frame: Frame, run: FollowedRun) => Partial<FollowedRun>;

const TAKERS: Readonly<Record<string, Taker>> = {
  run: ({ runId, sessionId, traceId, input }) => ({
    phase: "running",
    runId,
    sessionId,
    ...(input && { input }),
    ...(traceId !== undefined && { traceId }),
  }),
  chunk: ({ chunk }, { parts }) => ({
    parts: withChunk(parts, chunk.content ?? []),
  }),
  stateUpdate: ({ patch, rev }, run) => withPatch(run, patch, rev),
  artifact: ({ artifact }, { artifacts }) => ({ artifacts: withArtifact(artifacts, artifact) }),
  status: ({ status }) => ({ status }),
  // Another worker begins the turn again: what the first one said does not count.
  restarted: () => ({ parts: [] }),
  reset: ({ custom }, { changed }) => ({
    parts: [],
    ...(custom !== undefined && { custom: { value: custom, revision: changed.size } }),
  }),
  turnEnd: ({ snapshotId, finishReason, error }) => ({
    ...(snapshotId !== undefined && { snapshotId }),
    ...(finishReason !== undefined && { finishReason }),
    ...(error !== undefined && { error }),
  }),
  done: ({ snapshotId, finishReason, error, sessionState, messages, sessionId }) => ({
    phase: "ended",
    ...(sessionId !== undefined && { sessionId }),
    ...(snapshotId !== undefined && { snapshotId }),
    ...(finishReason !== undefined && { finishReason }),
    ...(error !== undefined && { error }),
    ...(sessionState !== undefined && { sessionState }),
    ...(messages !== undefined && { messages }),
  }),
  error: ({ status, message }) => ({
    phase: "ended",
    error: { ...(typeof status === "string" && { status }), message },
  }),
};

// Text goes on where text was; anything else is a piece of its own.
function withChunk(parts: readonly Part[], content: readonly Part[]): readonly Part[] {
  const all = [...parts];
  for (const part of content) {
    const last = all.at(-1);
    if (part.text !== undefined && last?.text !== undefined) {
      all[all.length - 1] = { ...last, text: last.text + part.text } as Part;
    } else if (part.reasoning !== undefined && last?.reasoning !== undefined) {
      all[all.length - 1] = { ...last, reasoning: last.reasoning + part.reasoning } as Part;
    } else if (part.toolRequest?.partial !== true) all.push(part);
  }
  return all;
}

function withPatch(
  { custom }: FollowedRun,
  patch: readonly JsonPatchOperation[],
  revision: number,
): Partial<FollowedRun> {
  const value = applyPatch(custom?.value ?? null, patch);
  return {
    custom: { value, revision },
    changed: new Map(patch.map(({ path }) => [path, revision])),
  };
}

function withArtifact(artifacts: readonly Artifact[], added: Artifact): readonly Artifact[] {
  const others = artifacts.filter(({ name }) => name === undefined || name !== added.name);
  return [...others, added];
}
