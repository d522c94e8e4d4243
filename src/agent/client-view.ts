import {
  changedContent,
  contentOfStart,
  GrownList,
  HeldEvent,
  type LoadedSnapshot,
  type NumberedEvent,
  type Ports,
  type RunEvent,
  type SessionContent,
  type StartedEvent,
  stateOf,
} from "../ledger/index.ts";
import {
  type AgentStreamChunk,
  applyPatch,
  type Artifact,
  formatEventId,
  type Json,
  jsonEqual,
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
import { withArtifact } from "./with-artifact.ts";

export interface ClientViewOptions<Custom> {
  readonly sessionId: string;
  readonly runId: string;
  readonly transformState?: StateTransform<Custom>;
  readonly transformStream?: StreamTransform;
  readonly context: CallContext;
  readonly timers: Ports["timers"];
  /** Finds the snapshots that turns start from; absent where there are none. */
  readonly findSnapshot?: (snapshotId: string) => Promise<LoadedSnapshot | undefined>;
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
  /** What the turn started from, until somebody needs its content. */
  #start: StartedEvent | undefined;
  /** The state of the turn as far as it was streamed; `undefined` as long as it is not known. */
  #content: SessionContent | undefined;
  #idStart: string | undefined;

  constructor(options: ClientViewOptions<Custom>) {
    this.#options = options;
  }

  /** @throws TurnkeepError when a transform fails: then nothing of what it guards is shown. */
  async stateOf(content: SessionContent): Promise<SessionState<Custom> | undefined> {
    const { transformState, context, timers } = this.#options;
    return await applyStateTransform(transformState, this.rawStateOf(content), { context, timers });
  }

  /**
   * Those of the state's messages and artifacts that the client may see: as the transform shows them by themselves, and only if it shows them
   * in the whole state, too.
   *
   * @throws TurnkeepError when a transform fails.
   */
  async partOf(content: SessionContent, part: ContentPart): Promise<ContentPart | undefined> {
    const { messages, artifacts } = part;
    const alone = { messages: GrownList.of(messages), artifacts };
    const shown = await this.stateOf(changedContent(content, alone));
    const whole = shown && (await this.stateOf(content));
    if (shown === undefined || whole === undefined) return undefined;
    return {
      messages: (shown.messages ?? []).filter(isAmong(whole.messages)),
      artifacts: (shown.artifacts ?? []).filter(isAmong(whole.artifacts)),
    };
  }

  /** The content that the turn started from; `undefined` when it is not known any more. */
  async startOf(event: StartedEvent): Promise<SessionContent | undefined> {
    const { findSnapshot = async () => undefined } = this.#options;
    return await contentOfStart(event, findSnapshot);
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
    if (event.type === "started" || event.type === "restarted") {
      this.#start = event.type === "started" ? event : undefined;
      this.#content = undefined;
      return undefined;
    }
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
    const content = await this.#contentAfter(chunk);
    // Nobody knows what the transform would decide by.
    if (content === undefined) return Object.keys(rest).length > 0 ? rest : undefined;
    const shown = await this.stateOf(content);
    const patch = customPatch ? this.#patches.next(shown?.custom as Json | undefined) : [];
    const seen = {
      ...rest,
      ...(patch.length > 0 && { customPatch: patch }),
      ...(artifact && shownArtifact(artifact, content, shown)),
    };
    return Object.keys(seen).length > 0 ? seen : undefined;
  }

  async #contentAfter({
    customPatch,
    artifact,
  }: AgentStreamChunk): Promise<SessionContent | undefined> {
    const start = this.#start;
    this.#content ??= start && (await this.startOf(start));
    const content = this.#content;
    if (content === undefined) return undefined;
    this.#content = changedContent(content, {
      ...(customPatch && { custom: applyPatch(content.custom ?? null, customPatch) }),
      ...(artifact && { artifacts: withArtifact(content.artifacts, artifact) }),
    });
    return this.#content;
  }
}

/** Some messages and artifacts of a state. */
export interface ContentPart {
  readonly messages: NonNullable<SessionState["messages"]>;
  readonly artifacts: NonNullable<SessionState["artifacts"]>;
}

function isAmong<Item>(list: readonly Item[] = []): (item: Item) => boolean {
  return (item) => list.some((other) => jsonEqual(other as Json, item as Json));
}

// As the transform shows it: by its name or, where it has none or another one, by its place.
function shownArtifact<Custom>(
  artifact: Artifact,
  { artifacts }: SessionContent,
  shown: SessionState<Custom> | undefined,
): Pick<AgentStreamChunk, "artifact"> {
  const all = shown?.artifacts ?? [];
  const { name } = artifact;
  const named = name === undefined ? undefined : all.find((one) => one.name === name);
  const placed = all.length === artifacts.length ? all[artifacts.indexOf(artifact)] : undefined;
  const found = named ?? placed;
  return found ? { artifact: found } : {};
}
