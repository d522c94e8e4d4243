import {
  type AgentInput,
  type JsonObject,
  type KnownNames,
  type Message,
  type Part,
  type PartKinds,
  parseAgentInput,
  type Resume,
  type SessionState,
  type ToolRequestPart,
  type ToolResponsePart,
  TurnkeepError,
  unknownName,
} from "../protocol/index.ts";
import { UriList } from "./uri-list.ts";
import { UrlList } from "./url-list.ts";

/** A kind of part that only servers and models write, unless an agent accepts it from clients. */
export type ServerPartKind = "reasoning" | "toolRequest" | "toolResponse";

/** What an agent accepts from clients beyond the default. It counts for inputs over HTTP and through Genkit's actions, not for calls in process. */
export interface ClientInputOptions {
  /** Kinds of parts besides `text`, `media`, `data` and `custom`. */
  readonly clientParts?: readonly ServerPartKind[] | undefined;
  /** Names of metadata that clients may set on messages and parts. None by default: models and Genkit act on some, such as `purpose`. */
  readonly clientMetadata?: readonly string[] | undefined;
  /**
   * Resources that clients may name: URIs, in which `{name}` stands for one segment, such as `docs://manual/{page}`. None by default: Genkit reads a
   * resource on the server.
   */
  readonly clientResources?: readonly string[] | undefined;
  /**
   * Where the media of clients may be: schemes such as `https:`, or addresses that theirs must lie under, such as `https://files.example/uploads/`.
   * Only `data:` by default: some model plugins fetch other addresses from the server.
   */
  readonly clientMedia?: readonly string[] | undefined;
}

const CLIENT_KINDS: readonly (keyof PartKinds)[] = ["text", "media", "data", "custom"];
const SERVER_KINDS: readonly string[] = [
  "reasoning",
  "toolRequest",
  "toolResponse",
] satisfies readonly ServerPartKind[];
const PART_KINDS: KnownNames = { kind: "kind of part", names: SERVER_KINDS };
// A client sends a request back as it came, with whatever the server noted on it. Only its own words count.
const RESTART_METADATA: readonly string[] = ["resumed", "replacedInput"];
const RESPOND_METADATA: readonly string[] = ["interruptResponse"];
const SHOWN_NAME = /^[\w$.-]{1,64}$/;

/** Reads inputs as clients may send them: no client speaks for the server, the model or a tool. */
export class ClientInputPolicy {
  readonly #kinds: ReadonlySet<string>;
  readonly #metadata: ReadonlySet<string>;
  readonly #resources: UriList;
  readonly #media: UrlList;

  /** @throws TurnkeepError INVALID_ARGUMENT for options that are none. */
  constructor(options: ClientInputOptions) {
    const { clientParts = [], clientMetadata = [] } = options;
    const { clientResources = [], clientMedia = ["data:"] } = options;
    for (const kind of clientParts) {
      if (!SERVER_KINDS.includes(kind)) throw unknownName(kind, PART_KINDS);
    }
    this.#kinds = new Set([...CLIENT_KINDS, ...clientParts]);
    this.#metadata = new Set(clientMetadata);
    this.#resources = new UriList(clientResources);
    this.#media = new UrlList("clientMedia", clientMedia);
  }

  /** @throws TurnkeepError INVALID_ARGUMENT. */
  parse(value: unknown): AgentInput {
    if (value === undefined) {
      throw new TurnkeepError("INVALID_ARGUMENT", "'input' is missing. Send {} to retry a turn.");
    }
    const { message, resume, ...rest } = parseAgentInput(value);
    if (message) this.#checkMessage(message);
    return { ...rest, ...(message && { message }), ...(resume && { resume: this.#read(resume) }) };
  }

  /**
   * Looks at a state that a client may have written itself for what would be fetched on the server: resources and media.
   *
   * @throws TurnkeepError INVALID_ARGUMENT.
   */
  checkState({ messages = [] }: Pick<SessionState, "messages">): void {
    for (const [index, { content }] of messages.entries()) {
      this.#checkSources(content, `state.messages[${index}].content`);
    }
  }

  #checkMessage({ role, content, metadata }: Message): void {
    if (role !== "user") {
      throw new TurnkeepError(
        "INVALID_ARGUMENT",
        "A client sends messages of the role 'user' only.",
        { reason: "INPUT_REFUSED" },
      );
    }
    this.#checkMetadata(metadata, "message");
    this.#checkParts(content, "message.content");
  }

  #read({ respond, restart, again }: Resume): Resume {
    if (again) {
      throw new TurnkeepError("INVALID_ARGUMENT", "A client answers an interrupt once.", {
        reason: "INPUT_REFUSED",
        details: { path: "resume.again" },
      });
    }
    for (const [index, { toolResponse }] of (respond ?? []).entries()) {
      this.#checkParts(toolResponse.content ?? [], `resume.respond[${index}].toolResponse.content`);
    }
    return {
      ...(respond && { respond: respond.map((part) => onlyMetadata(part, RESPOND_METADATA)) }),
      ...(restart && { restart: restart.map((part) => onlyMetadata(part, RESTART_METADATA)) }),
    };
  }

  #checkParts(parts: readonly Part[], at: string): void {
    for (const [index, part] of parts.entries()) this.#checkPart(part, `${at}[${index}]`);
  }

  #checkPart(part: Part, at: string): void {
    this.#checkMetadata(part.metadata, at);
    this.#checkSource(part, at);
    for (const kind of Object.keys(part)) {
      if (kind === "metadata" || kind === "resource" || this.#kinds.has(kind)) continue;
      throw refused(at, `is a part of kind "${kind}", which clients may not send`, "clientParts");
    }
    const { content } = part.toolResponse ?? {};
    if (content) this.#checkParts(content, `${at}.toolResponse.content`);
  }

  #checkSources(parts: readonly Part[], at: string): void {
    for (const [index, part] of parts.entries()) {
      this.#checkSource(part, `${at}[${index}]`);
      const { content } = part.toolResponse ?? {};
      if (content) this.#checkSources(content, `${at}[${index}].toolResponse.content`);
    }
  }

  #checkSource({ resource, media }: Part, at: string): void {
    if (resource && !this.#resources.includes(resource.uri)) {
      throw refused(at, "names a resource that clients may not name", "clientResources");
    }
    if (media && !this.#media.includes(media.url)) {
      throw refused(`${at}.media.url`, "is no address that clients may send", "clientMedia");
    }
  }

  #checkMetadata(metadata: JsonObject | undefined, at: string): void {
    for (const name of Object.keys(metadata ?? {})) {
      if (this.#metadata.has(name)) continue;
      const shown = SHOWN_NAME.test(name) ? ` "${name}"` : "";
      throw refused(`${at}.metadata`, `has${shown}, which clients may not set`, "clientMetadata");
    }
  }
}

function onlyMetadata<Answer extends ToolRequestPart | ToolResponsePart>(
  part: Answer,
  names: readonly string[],
): Answer {
  const { metadata, ...rest } = part;
  if (metadata === undefined) return part;
  const own = Object.entries(metadata).filter(([name]) => names.includes(name));
  return { ...rest, ...(own.length > 0 && { metadata: Object.fromEntries(own) }) } as Answer;
}

function refused(at: string, what: string, option: string): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `${at} ${what}. The agent's option '${option}' lists what it accepts.`,
    { reason: "INPUT_REFUSED", details: { path: at, option } },
  );
}
