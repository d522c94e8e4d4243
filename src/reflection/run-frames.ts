import type { RunUpdate, SpanName } from "../agent/index.ts";
import {
  type AgentStreamChunk,
  applyPatch,
  encodeSse,
  type Json,
  jsonEqual,
  type JsonPatchOperation,
  type Message,
} from "../protocol/index.ts";

/** What an idle stream says; readers pass over it. */
export const PING_FRAME: string = encodeSse({ comment: "" });

/** What a stream says at once, so that its headers are sent. */
export const OPEN_FRAME: string = encodeSse({ comment: "open", retry: 1000 });

// More of the state than this is not repeated in each update; the patch says it.
const MOST_STATE_CHARACTERS = 65_536;

export interface FrameOptions {
  readonly sessionId: string;
  /** The last event that the reader has; nothing up to it is said again. */
  readonly after?: number;
}

/** Says what a run does as the RFC's events. It must see every update from the first on, since patches build on each other. */
export class RunFrames {
  readonly #options: FrameOptions;
  #custom: Json | undefined;
  #revision = 0;
  #snapshotId: string | undefined;
  #last = { seq: 0, text: "" };

  constructor(options: FrameOptions) {
    this.#options = options;
  }

  /** The snapshot that the last turn ended in. */
  get snapshotId(): string | undefined {
    return this.#snapshotId;
  }

  /** The frames of one update; none for what says nothing to readers, or what they have. */
  readonly encode = (update: RunUpdate): string => {
    // One that a slow reader did not take is asked for again, and must not count twice.
    if (update.id === undefined || update.seq !== this.#last.seq) {
      this.#last = { seq: update.seq, text: this.#encode(update) };
    }
    return this.#last.text;
  };

  #encode(update: RunUpdate): string {
    const { sessionId, after = 0 } = this.#options;
    if (update.type === "turnEnd") this.#snapshotId = update.chunk?.turnEnd?.snapshotId;
    const said = this.#saidBy(update);
    if (update.id !== undefined && update.seq <= after) return "";
    return said
      .map(([event, data], index) => {
        // Only the last frame of an update has its id: who comes back after it has them all.
        const id = index === said.length - 1 ? update.id : undefined;
        return frame(event, { sessionId, ...data }, id);
      })
      .join("");
  }

  #saidBy({ type, chunk }: RunUpdate): readonly (readonly [string, object])[] {
    if (type === "restarted" || type === "moved") return [[type, {}]];
    return chunk ? this.#partsOf(chunk) : [];
  }

  #partsOf(chunk: AgentStreamChunk): readonly (readonly [string, object])[] {
    const { modelChunk, customPatch, artifact, status, turnEnd } = chunk;
    return [
      ...(modelChunk ? [["chunk", { chunk: modelChunk }] as const] : []),
      ...(customPatch ? [["stateUpdate", this.#stateUpdate(customPatch)] as const] : []),
      ...(artifact ? [["artifact", { artifact }] as const] : []),
      ...(status === undefined ? [] : [["status", { status }] as const]),
      ...(turnEnd ? [["turnEnd", turnEnd] as const] : []),
    ];
  }

  #stateUpdate(patch: readonly JsonPatchOperation[]): object {
    const before = this.#custom;
    this.#revision += 1;
    this.#custom = applyPatch(before ?? null, patch);
    const stateUpdate = changedMembers(before, this.#custom);
    const isLong = JSON.stringify(stateUpdate).length > MOST_STATE_CHARACTERS;
    return { ...(isLong ? { omitted: true } : { stateUpdate }), patch, rev: this.#revision };
  }
}

/** The first event: which run it is. */
export function runFrame(run: {
  readonly runId: string;
  readonly sessionId: string;
  readonly snapshotId?: string;
  readonly traceId?: string;
  /** What its unfinished turn was told. */
  readonly input?: Message;
  /** Whether events come that were said before. */
  readonly replay: boolean;
}): string {
  return frame("run", run);
}

export function doneFrame(result: object): string {
  return frame("done", result);
}

/** What the run's events would have led to, when they are gone. */
export function resetFrame(state: object): string {
  return frame("reset", state);
}

export function telemetryFrame(span: SpanName | undefined): string {
  return frame("telemetry", span ?? {});
}

/** The stream itself broke: how a turn failed, `done` says. */
export function errorFrame(error: object): string {
  return frame("error", error);
}

function frame(event: string, data: object, id?: string): string {
  return encodeSse({ event, ...(id !== undefined && { id }), data: JSON.stringify(data) });
}

// Members that are gone are told as null; a state that is no object, whole.
function changedMembers(before: Json | undefined, after: Json): Json {
  if (!isObject(after)) return { custom: after };
  const earlier = isObject(before) ? before : {};
  const changed = Object.entries(after).filter(
    ([name, value]) => !Object.hasOwn(earlier, name) || !jsonEqual(earlier[name] ?? null, value),
  );
  const removed = Object.keys(earlier).filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([...changed, ...removed.map((name) => [name, null] as const)]);
}

function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
