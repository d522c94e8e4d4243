import { createScope, type Scope, type SessionKey } from "../../ledger/index.ts";

/** The Redis keys of one session, all with the hash tag of its bucket. */
export interface SessionKeys {
  /** A hash: the version, the record, and what scripts need to know of it. */
  readonly head: string;
  /** A sorted set: the rows. */
  readonly rows: string;
  /** The session's name among those of its bucket. */
  readonly name: string;
  /** Where its changes are told. */
  readonly channel: string;
  readonly bucket: BucketKeys;
}

/** The indexes of one bucket: sorted sets of sessions. */
export interface BucketKeys {
  readonly work: string;
  readonly sweep: string;
  /** Sessions of one tenant. */
  readonly list: (scope: Scope) => string;
}

/**
 * Names everything the store keeps.
 *
 * A commit changes a session and the indexes that find it in one script, and on a cluster a script sees one slot only. So sessions are
 * spread over a fixed number of buckets, and all keys of a bucket share its hash tag. The price is that a store fills no more slots than
 * it has buckets; what it buys is indexes that are exact, with nothing to repair after a crash.
 */
export class RedisKeys {
  readonly buckets: readonly BucketKeys[];
  readonly #prefix: string;
  readonly #tags: ReadonlySet<string>;

  constructor(prefix: string, buckets: number) {
    this.#prefix = prefix;
    this.#tags = new Set(Array.from({ length: buckets }, (_, bucket) => this.#tag(bucket)));
    this.buckets = Array.from({ length: buckets }, (_, bucket) => this.#bucketKeys(bucket));
  }

  /** The pattern to ask a server for the keys of lists. It matches other stores' keys too: a prefix may begin with this one. */
  get listPattern(): string {
    return `{${this.#prefix}.*}:list:*`;
  }

  /** Whether the key is a list of this store: the hash tag must be exactly that of a bucket. */
  isList(key: string): boolean {
    const tag = key.slice(0, key.indexOf("}") + 1);
    return this.#tags.has(tag);
  }

  ofSession({ scope, agent, sessionId }: SessionKey): SessionKeys {
    const name = [scope.tenant, agent, sessionId].map(encodeURIComponent).join(":");
    const bucket = hash(name) % this.buckets.length;
    const tag = this.#tag(bucket);
    return {
      head: `${tag}:head:${name}`,
      rows: `${tag}:rows:${name}`,
      channel: `${tag}:watch:${name}`,
      name,
      bucket: this.buckets[bucket] as BucketKeys,
    };
  }

  #bucketKeys(bucket: number): BucketKeys {
    const tag = this.#tag(bucket);
    return {
      work: `${tag}:work`,
      sweep: `${tag}:sweep`,
      list: ({ tenant }) => `${tag}:list:${encodeURIComponent(tenant)}`,
    };
  }

  #tag(bucket: number): string {
    return `{${this.#prefix}.${bucket}}`;
  }
}

/** Where a store keeps how its data is laid out. */
export function layoutKey(prefix: string): string {
  return `{${prefix}}:layout`;
}

/** Whose list has this key. */
export function scopeFromList(key: string): Scope {
  return createScope(decodeURIComponent(key.slice(key.lastIndexOf(":") + 1)));
}

export function sessionFromName(name: string): SessionKey {
  const [tenant = "", agent = "", sessionId = ""] = name.split(":").map(decodeURIComponent);
  return { scope: createScope(tenant), agent, sessionId };
}

// FNV-1a. Data lies where it says, so it must never change.
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
