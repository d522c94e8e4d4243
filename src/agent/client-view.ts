import {
  EMPTY_CONTENT,
  HeldEvent,
  type NumberedEvent,
  type Ports,
  type RunEvent,
  type SessionContent,
  stateOf,
} from "../ledger/index.ts";
import {
  type AgentStreamChunk,
  applyPatch,
  formatEventId,
  type Json,
  type SessionState,
} from "../protocol/index.ts";
import type { CallContext } from "./call-context.ts";
import { HeldUpdate } from "./held-update.ts";
import { PatchTracker } from "./patch-tracker.ts";
import { toPublicId } from "./public-id.ts";
import {
  applyStateTransform,
  applyStreamTransform,
  type StateTransform,
  type StreamTransform,
} from "./transforms.ts";

export interface ClientViewOptions<Custom> {
  readonly sessionId: string;
  readonly runId: string;
  readonly transformState?: StateTransform<Custom>;
  readonly transformStream?: StreamTransform;
  readonly context: CallContext;
  readonly timers: Ports["timers"];
  /** Whether every chunk names its session. */
  readonly namesSession?: boolean;
}

/** An event as a client sees it. */
export interface RunUpdate<Status = Json> {
  /** Names the event: pass it back to go on after it. Absent for what is not kept. */
  readonly id?: string;
  readonly seq: number;
  readonly type: RunEvent["type"];
  readonly chunk?: AgentStreamChunk<Status>;
}

const UPDATES = new WeakMap<readonly NumberedEvent[], readonly RunUpdate[]>();

/** Shows one client what a run does and holds, as the agent's transforms let it. Logs hold everything; what may be seen is decided for each reader. */
export class ClientView<Custom> {
  readonly #options: ClientViewOptions<Custom>;
  readonly #patches = new PatchTracker();
  #custom: Json | undefined;
  #idStart: string | undefined;

  constructor(options: ClientViewOptions<Custom>) {
    this.#options = options;
  }

  /** @throws TurnkeepError when a transform fails: then nothing of what it guards is shown. */
  async stateOf(content: SessionContent): Promise<SessionState<Custom> | undefined> {
    const { transformState, context, timers } = this.#options;
    return await applyStateTransform(transformState, this.rawStateOf(content), { context, timers });
  }

  /** Whether clients see the state otherwise than it is. */
  get transformsState(): boolean {
    return this.#options.transformState !== undefined;
  }

  /** The state as it is, for agents that transform none. */
  rawStateOf(content: SessionContent): SessionState<Custom> {
    return { sessionId: this.#options.sessionId, ...stateOf(content) } as SessionState<Custom>;
  }

  /** Whether clients see anything otherwise than it is. */
  get transforms(): boolean {
    const { transformState, transformStream } = this.#options;
    return transformState !== undefined || transformStream !== undefined;
  }

  async updateOf({ seq, event }: NumberedEvent): Promise<RunUpdate> {
    const chunk = this.#rawChunkOf(event);
    return this.#update(seq, event.type, chunk && (await this.#shown(chunk)));
  }

  /** One after the other, since patches build on each other. */
  async updatesOf(events: readonly NumberedEvent[]): Promise<readonly RunUpdate[]> {
    const updates: RunUpdate[] = [];
    for (const event of events) updates.push(await this.updateOf(event));
    return updates;
  }

  /** The events as they are, for agents that transform nothing. */
  rawUpdatesOf(events: readonly NumberedEvent[]): readonly RunUpdate[] {
    return events.map((numbered) => this.#rawUpdateOf(numbered));
  }

  #rawUpdateOf(numbered: NumberedEvent): RunUpdate {
    const { seq } = numbered;
    const chunkJson = numbered instanceof HeldEvent ? numbered.chunkJson : undefined;
    if (chunkJson !== undefined)
      return new HeldUpdate(seq, this.#named(chunkJson), seq > 0 ? this.#eventId(seq) : undefined);
    const { event } = numbered;
    return this.#update(seq, event.type, this.#rawChunkOf(event));
  }

  /** Like `rawUpdatesOf`, as plain data that is nobody else's. */
  ownUpdatesOf(events: readonly NumberedEvent[]): readonly RunUpdate[] {
    return events.map(({ seq, event }) => this.#update(seq, event.type, this.#rawChunkOf(event)));
  }

  /** Like `rawUpdatesOf`: the same list for all who are handed the same events of the run's log. */
  sharedUpdatesOf(page: readonly NumberedEvent[]): readonly RunUpdate[] {
    const updates = UPDATES.get(page) ?? this.rawUpdatesOf(page);
    UPDATES.set(page, updates);
    return updates;
  }

  #update(seq: number, type: RunEvent["type"], shown: AgentStreamChunk | undefined): RunUpdate {
    const { sessionId, namesSession } = this.#options;
    const chunk = shown && namesSession ? { sessionId, ...shown } : shown;
    if (seq <= 0) return chunk ? { seq, type, chunk } : { seq, type };
    const id = this.#eventId(seq);
    // Spelt out, since objects of one shape are read faster.
    return chunk ? { id, seq, type, chunk } : { id, seq, type };
  }

  // Put into the JSON: parsing a chunk to add a member would cost more than all the rest.
  #named(chunkJson: string): string {
    const { sessionId, namesSession } = this.#options;
    if (!namesSession) return chunkJson;
    const start = `{"sessionId":${JSON.stringify(sessionId)}`;
    return chunkJson === "{}" ? `${start}}` : `${start},${chunkJson.slice(1)}`;
  }

  // What all ids of a run share is made once.
  #eventId(seq: number): string {
    const { sessionId, runId } = this.#options;
    if (this.#idStart === undefined) {
      const first = formatEventId({ runId: toPublicId({ sessionId, id: runId }), seq: 1 });
      this.#idStart = first.slice(0, -1);
    }
    return `${this.#idStart}${seq}`;
  }

  async #shown(chunk: AgentStreamChunk): Promise<AgentStreamChunk | undefined> {
    const { transformState, transformStream, context, timers } = this.#options;
    const isState = chunk.customPatch !== undefined || chunk.artifact !== undefined;
    const seen = transformState && isState ? await this.#reprojected(chunk) : chunk;
    return seen && (await applyStreamTransform(transformStream, seen, { context, timers }));
  }

  #rawChunkOf(event: RunEvent): AgentStreamChunk | undefined {
    if (event.type === "turnEnd") {
      this.#patches.startTurn();
      const { snapshotId: id, finishReason } = event;
      const { sessionId } = this.#options;
      const snapshot = id === undefined ? {} : { snapshotId: toPublicId({ sessionId, id }) };
      return { turnEnd: { ...snapshot, ...(finishReason !== undefined && { finishReason }) } };
    }
    return event.type === "chunk" ? (event["chunk"] as AgentStreamChunk) : undefined;
  }

  // Patches are made of what the transform shows. Filtering patches of the raw state would let through what it hides.
  async #reprojected(chunk: AgentStreamChunk): Promise<AgentStreamChunk | undefined> {
    const { customPatch, artifact, ...rest } = chunk;
    if (customPatch) this.#custom = applyPatch(this.#custom ?? null, customPatch);
    const custom = this.#custom === undefined ? {} : { custom: this.#custom };
    const artifacts = artifact ? [artifact] : [];
    const shown = await this.stateOf({ ...EMPTY_CONTENT, artifacts, ...custom });
    const patch = customPatch ? this.#patches.next(shown?.custom as Json | undefined) : [];
    const seen = {
      ...rest,
      ...(patch.length > 0 && { customPatch: patch }),
      ...(artifact && firstArtifact(shown)),
    };
    return Object.keys(seen).length > 0 ? seen : undefined;
  }
}

function firstArtifact<Custom>(
  state: SessionState<Custom> | undefined,
): Pick<AgentStreamChunk, "artifact"> {
  const artifact = state?.artifacts?.[0];
  return artifact ? { artifact } : {};
}
