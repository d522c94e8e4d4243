import {
  changedContent,
  contentFrom,
  EMPTY_CONTENT,
  GrownList,
  type SessionContent,
  stateOf,
} from "../ledger/index.ts";
import {
  ANSWER_LIMITS,
  type Artifact,
  type Json,
  jsonEqual,
  type Message,
  parseArtifact,
  parseMessage,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import { freezeNew } from "./freeze-new.ts";
import { plainCopy } from "./plain-copy.ts";
import { updateCustom } from "./update-custom.ts";
import { withArtifact } from "./with-artifact.ts";

/** What a session tells whoever streams it. */
export interface SessionListener {
  readonly customChanged: (custom: Json | undefined) => void;
  readonly artifactAdded: (artifact: Artifact) => void;
}

/**
 * The state of a conversation while a turn works on it. Everything it gives out is frozen and everything it is given is copied in, so no
 * reference leads past it. `Absent` is what the custom state is where it was never set: nothing, or `never` where a schema has an initial state.
 */
export class Session<Custom = Json, Absent = undefined> {
  readonly sessionId: string;
  #content: SessionContent;
  readonly #listener: SessionListener | undefined;

  constructor(
    sessionId: string,
    content: SessionContent = EMPTY_CONTENT,
    listener?: SessionListener,
  ) {
    this.sessionId = sessionId;
    this.#content = content;
    this.#listener = listener;
  }

  /** @internal The whole state, frozen. */
  get content(): SessionContent {
    return this.#content;
  }

  /** The whole state with its session id: a new object each time, whose members are frozen. */
  state(): SessionState<Custom> {
    return { sessionId: this.sessionId, ...(stateOf(this.#content) as SessionState<Custom>) };
  }

  messages(): readonly Message[] {
    return this.#content.messages.all();
  }

  /** @throws TurnkeepError INVALID_ARGUMENT when one of them is no message; none is added then. */
  addMessages(...messages: readonly Message[]): void {
    if (messages.length === 0) return;
    const added = messages.map(messageFrom);
    this.#change({ messages: this.#content.messages.grow(added) });
  }

  /** @throws TurnkeepError INVALID_ARGUMENT when one of them is no message; nothing changes then. */
  setMessages(messages: readonly Message[]): void {
    const before = this.messages();
    const known = new Set<Message>(before);
    const next = listFrom(messages, (message) =>
      known.has(message) ? message : messageFrom(message),
    );
    if (!sameItems(next, before)) this.#change({ messages: GrownList.of(next) });
  }

  updateMessages(update: (messages: readonly Message[]) => readonly Message[]): void {
    this.setMessages(update(this.messages()));
  }

  /** The agent's own state. Where the agent has a state schema, it is never undefined. */
  custom(): Custom | Absent {
    return this.#content.custom as Custom | Absent;
  }

  /** @throws TurnkeepError INVALID_ARGUMENT naming the place of what is not JSON-serializable. A `Date` is stored as its ISO text. */
  setCustom(custom: Custom): void {
    const before = this.#content.custom;
    const next =
      custom === undefined ? undefined : (freezeNew(plainCopy(custom, "custom"), before) as Json);
    // To set what is there already is no change, for which a snapshot would have to be kept.
    const isSame = next !== undefined && before !== undefined && jsonEqual(next, before);
    if (!isSame) this.#changeCustom(next);
  }

  /** Change the draft in place, or return a new value. What changed is streamed to clients as a patch. */
  updateCustom(update: (draft: Custom) => Custom | void): void {
    this.#changeCustom(updateCustom(this.custom() as Custom, update) as Json);
  }

  artifacts(): readonly Artifact[] {
    return this.#content.artifacts;
  }

  /**
   * Adds artifacts and streams each; one with the name of another takes its place.
   *
   * @throws TurnkeepError INVALID_ARGUMENT when one of them is no artifact; none is added then.
   */
  addArtifacts(...artifacts: readonly Artifact[]): void {
    for (const artifact of artifacts.map(artifactFrom)) {
      this.#change({ artifacts: Object.freeze(withArtifact(this.artifacts(), artifact)) });
      this.#listener?.artifactAdded(artifact);
    }
  }

  /** Streams nothing: clients see the list when the turn has ended. */
  setArtifacts(artifacts: readonly Artifact[]): void {
    const next = listFrom(artifacts, artifactFrom);
    if (!sameItems(next, this.artifacts())) this.#change({ artifacts: next });
  }

  updateArtifacts(update: (artifacts: readonly Artifact[]) => readonly Artifact[]): void {
    this.setArtifacts(update(this.artifacts()));
  }

  promptInput(): Json | undefined {
    return this.#content.promptInput;
  }

  setPromptInput(promptInput: Json): void {
    this.#change({ promptInput: plainCopy(promptInput, "promptInput") });
  }

  /** @internal Puts the session at other content: the start of a turn, or where a failed one left off. */
  restore(content: SessionContent): void {
    this.#content = content;
  }

  #change(part: Partial<SessionContent>): void {
    this.#content = changedContent(this.#content, part);
  }

  #changeCustom(custom: Json | undefined): void {
    const before = this.#content.custom;
    if (custom === before) return;
    const { messages, artifacts, promptInput, stateVersion } = this.#content;
    this.#content = contentFrom({ messages, artifacts, custom, promptInput, stateVersion });
    this.#listener?.customChanged(custom);
  }
}

/** @throws TurnkeepError INVALID_ARGUMENT when it is no message. */
export function messageFrom(message: Message): Message {
  return checkedCopy(message, "message", parseMessage);
}

/** @throws TurnkeepError INVALID_ARGUMENT when it is no artifact. */
export function artifactFrom(artifact: Artifact): Artifact {
  return checkedCopy(artifact, "artifact", parseArtifact);
}

function checkedCopy<Value>(
  value: Value,
  name: string,
  check: (value: unknown, options: { readonly limits: typeof ANSWER_LIMITS }) => unknown,
): Value {
  const copy = plainCopy(value, name);
  check(copy, { limits: ANSWER_LIMITS });
  return copy;
}

function listFrom<Item>(list: readonly Item[], toItem: (item: Item) => Item): readonly Item[] {
  if (Array.isArray(list)) return Object.freeze(list.map(toItem));
  throw new TurnkeepError("INVALID_ARGUMENT", "Messages and artifacts are set as a list.");
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
