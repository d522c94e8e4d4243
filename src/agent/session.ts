import {
  EMPTY_CONTENT,
  freezeJson,
  growList,
  isFrozenJson,
  type SessionContent,
} from "../ledger/index.ts";
import {
  type Artifact,
  type Json,
  jsonEqual,
  type Message,
  type SessionState,
} from "../protocol/index.ts";
import { updateCustom } from "./update-custom.ts";

/** What a session tells whoever streams it. */
export interface SessionListener {
  readonly customChanged: (custom: Json | undefined) => void;
  readonly artifactAdded: (artifact: Artifact) => void;
}

/**
 * The state of a conversation while a turn works on it. Everything it gives out is frozen and everything it is given is copied in, so no
 * reference leads past it.
 */
export class Session<Custom = Json> {
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

  /** The whole state, frozen. */
  get content(): SessionContent {
    return this.#content;
  }

  state(): SessionState<Custom> {
    return { sessionId: this.sessionId, ...(this.#content as SessionState<Custom>) };
  }

  messages(): readonly Message[] {
    return this.#content.messages;
  }

  addMessages(...messages: readonly Message[]): void {
    this.#content = {
      ...this.#content,
      messages: growList(this.#content.messages, messages.map(plainCopy)),
    };
  }

  setMessages(messages: readonly Message[]): void {
    const known = new Set<Message>(this.#content.messages);
    const kept = messages.map((message) => (known.has(message) ? message : plainCopy(message)));
    this.#content = { ...this.#content, messages: kept };
  }

  updateMessages(update: (messages: readonly Message[]) => readonly Message[]): void {
    this.setMessages(update(this.messages()));
  }

  custom(): Custom | undefined {
    return this.#content.custom as Custom | undefined;
  }

  setCustom(custom: Custom): void {
    this.#changeCustom(plainCopy(custom) as Json);
  }

  /** Change the draft in place, or return a new value. What changed is streamed to clients as a patch. */
  updateCustom(update: (draft: Custom) => Custom | void): void {
    this.#changeCustom(updateCustom(this.custom() as Custom, update) as Json);
  }

  artifacts(): readonly Artifact[] {
    return this.#content.artifacts;
  }

  /** Adds artifacts; one with the name of another takes its place. */
  addArtifacts(...artifacts: readonly Artifact[]): void {
    for (const artifact of artifacts.map(plainCopy)) {
      const at = this.#content.artifacts.findIndex(
        ({ name }) => name !== undefined && name === artifact.name,
      );
      const next =
        at === -1 ? [...this.artifacts(), artifact] : this.artifacts().with(at, artifact);
      this.#content = { ...this.#content, artifacts: next };
      this.#listener?.artifactAdded(artifact);
    }
  }

  setArtifacts(artifacts: readonly Artifact[]): void {
    this.#content = { ...this.#content, artifacts: artifacts.map(plainCopy) };
  }

  updateArtifacts(update: (artifacts: readonly Artifact[]) => readonly Artifact[]): void {
    this.setArtifacts(update(this.artifacts()));
  }

  promptInput(): Json | undefined {
    return this.#content.promptInput;
  }

  setPromptInput(promptInput: Json): void {
    this.#content = { ...this.#content, promptInput: plainCopy(promptInput) };
  }

  /** Puts the session at other content: the start of a turn, or where a failed one left off. */
  restore(content: SessionContent): void {
    this.#content = content;
  }

  #changeCustom(custom: Json | undefined): void {
    const before = this.#content.custom;
    if (
      custom === before ||
      (custom !== undefined && before !== undefined && jsonEqual(custom, before))
    ) {
      return;
    }
    const { custom: _dropped, ...rest } = this.#content;
    this.#content = custom === undefined ? rest : { ...rest, custom };
    this.#listener?.customChanged(custom);
  }
}

// Whoever keeps what it passed in can go on changing it without the session noticing. What is frozen throughout needs no copy.
function plainCopy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || isFrozenJson(value)) return value;
  return freezeJson(JSON.parse(JSON.stringify(value)) as Value);
}
