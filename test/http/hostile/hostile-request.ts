import type { SeededRandom } from "../../chaos/seeded-random.ts";

// What has broken servers before: prototypes, paths, databases, Unicode, numbers and sizes.
const TEXTS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "../../etc/passwd",
  "..",
  ".",
  "$ne",
  "$where",
  "'; drop table rows; --",
  '" or 1=1',
  "\\",
  "*",
  "{@tag}",
  "%00",
  "%zz",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u2028",
  "\r\nx: y",
  "\n\n",
  "data: x",
  "👩‍👩‍👧",
  "\u202e",
  "NaN",
  "-1",
  "1e400",
  "0x10",
  "9007199254740993",
  "",
  " ",
  "\t",
  "null",
  "undefined",
  "true",
  "s",
  "s.",
  ".s",
  "s.1",
  "x-",
  "x-_w.1",
  "{{x}}",
  "${x}",
  "<script>",
  "a".repeat(300),
  "é".repeat(400),
  ".".repeat(900),
];
const NUMBERS = [0, -0, 1, -1, 0.1, 1e308, -1e308, 2 ** 53, 2 ** 31, 1e-320, 4294967296];
const FIELDS = [
  "data",
  "init",
  "input",
  "message",
  "role",
  "content",
  "text",
  "resume",
  "respond",
  "restart",
  "toolRequest",
  "toolResponse",
  "media",
  "custom",
  "metadata",
  "detach",
  "state",
  "messages",
  "artifacts",
  "sessionId",
  "snapshotId",
  "requestId",
  "onBusy",
  "expectedHead",
  "promptInput",
  "label",
  "pin",
  "unpin",
  "removeLabel",
  "metadataOnly",
  "name",
  "ref",
  "input",
  "output",
  "parts",
  "again",
  "patch",
  "op",
  "path",
  "value",
  "from",
  "key",
  "traceId",
  "token",
  "sessionIds",
  "stream",
  "telemetryLabels",
  "title",
  "tags",
  "resource",
  "reasoning",
];
const ROLES = ["user", "model", "tool", "system", "admin"];
const HEADERS = [
  "accept",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "authorization",
  "origin",
  "x-request-id",
];
const QUERIES = [
  "after",
  "wait",
  "to",
  "limit",
  "activity",
  "stream",
  "agent",
  "tenant",
  "status",
  "q",
  "metadata",
  "format",
  "pageToken",
  "pageSize",
  "sessionId",
  "snapshotId",
  "from",
  "id",
  "view",
  "since",
];
const TYPES = [
  "application/json",
  "application/x-ndjson",
  "text/plain",
  "application/json; charset=x",
  "",
];

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A route that requests are made for, and what every one of them has. */
export interface Target {
  readonly method: string;
  /** With `:name` for what the request fills in. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests that mean no good, by chance. `known` are ids that are really there, `agents` the names of agents. */
export class HostileRequests {
  readonly #random: SeededRandom;
  readonly #targets: readonly Target[];
  readonly #known: readonly string[];
  readonly #agents: readonly string[];

  constructor(
    random: SeededRandom,
    targets: readonly Target[],
    { known, agents }: { readonly known: readonly string[]; readonly agents: readonly string[] },
  ) {
    this.#random = random;
    this.#targets = targets;
    this.#known = known;
    this.#agents = agents;
  }

  next(): HostileRequest {
    const random = this.#random;
    const route = random.pick(this.#targets)!;
    const method = random.chance(0.05)
      ? random.pick(["PUT", "PATCH", "HEAD", "DELETE", "GET", "POST"])!
      : route.method;
    const isBare = method === "GET" || method === "HEAD";
    return {
      method,
      path: `${this.#path(route.path)}${this.#query()}`,
      headers: { ...route.headers, ...this.#headers() },
      ...(!isBare && { body: this.#body() }),
    };
  }

  #text(): string {
    const random = this.#random;
    if (random.chance(0.3)) return random.pick(this.#known)!;
    const text = random.pick(TEXTS)!;
    return random.chance(0.2) ? text + random.pick(TEXTS)! : text;
  }

  #path(path: string): string {
    return path
      .split("/")
      .map((part) =>
        part === ":agent" && this.#random.chance(0.95)
          ? this.#random.pick(this.#agents)!
          : part.startsWith(":")
            ? this.#segment()
            : part,
      )
      .join("/");
  }

  #segment(): string {
    const text = this.#text();
    return this.#random.chance(0.9)
      ? encodeURIComponent(text.toWellFormed())
      : text.replaceAll(/[^!-~]|[?#]/g, "");
  }

  #query(): string {
    if (this.#random.chance(0.6)) return "";
    return `?${this.#random.pick(QUERIES)}=${this.#segment()}&${this.#random.pick(QUERIES)}=${this.#segment()}`;
  }

  #headers(): Record<string, string> {
    const random = this.#random;
    const headers: Record<string, string> = {
      "content-type": random.chance(0.9) ? "application/json" : random.pick(TYPES)!,
      ...(random.chance(0.3) && { accept: "text/event-stream" }),
    };
    if (random.chance(0.3))
      headers[random.pick(HEADERS)!] = this.#text().replaceAll(
        /[^\u0020-\u007e\u00a0-\u00ff]/g,
        "?",
      );
    return headers;
  }

  #body(): string | Uint8Array {
    const random = this.#random;
    if (random.chance(0.05)) return Uint8Array.from({ length: 40 }, () => random.below(256));
    if (random.chance(0.03)) return "[".repeat(random.below(200_000));
    if (random.chance(0.03)) return `{"data":${'{"a":'.repeat(100)}1e400${"}".repeat(100)}}`;
    const text = JSON.stringify(random.chance(0.6) ? this.#nearlyRight() : this.#json(0));
    if (random.chance(0.9)) return text;
    const at = random.below(text.length);
    return random.chance(0.5)
      ? text.slice(0, at)
      : text.slice(0, at) + this.#text() + text.slice(at + 1);
  }

  // A body that would do, but for one thing or two.
  #nearlyRight(): unknown {
    const message = {
      role: this.#random.pick(ROLES),
      content: [{ text: this.#text() }, this.#json(2)],
    };
    const input = { message, ...(this.#random.chance(0.3) && { resume: this.#json(1) }) };
    const init = {
      [this.#random.pick(["sessionId", "snapshotId", "state"])!]: this.#random.chance(0.5)
        ? this.#text()
        : this.#json(1),
    };
    return { data: input, input, init, [this.#key()]: this.#json(1) };
  }

  #key(): string {
    return this.#random.chance(0.6) ? this.#random.pick(FIELDS)! : this.#text();
  }

  #json(depth: number): unknown {
    const random = this.#random;
    const kind = random.below(depth > 5 ? 4 : 7);
    if (kind === 0) return random.pick([null, true, false]);
    if (kind === 1) return random.pick(NUMBERS);
    if (kind < 4) return this.#text();
    const size = random.below(4);
    if (kind === 4) return Array.from({ length: size }, () => this.#json(depth + 1));
    // Through text, so that `__proto__` is a key like any other.
    const members = Array.from(
      { length: size },
      () => `${JSON.stringify(this.#key())}:${JSON.stringify(this.#json(depth + 1))}`,
    );
    return JSON.parse(`{${members.join()}}`);
  }
}
