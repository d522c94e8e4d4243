import { join } from "node:path";
import {
  createScope,
  freezeRecord,
  type HeadRecord,
  type SessionKey,
  TurnkeepError,
} from "../../ledger/index.ts";
import { type BaseHeader, decodeHeader, type EntryHeader, type Weights } from "./checked-file.ts";
import { failedWith } from "./disk.ts";
import { baseName, entryName, numbersOf, type Place, type StoreFolder } from "./store-folder.ts";
import { damaged } from "./to-store-error.ts";

/** What can be known of a session without its rows. */
export interface SessionHead extends Weights {
  readonly place: Place;
  /** The last entry there was. */
  readonly seq: number;
  readonly key: SessionKey;
  /** `null`: forgotten. */
  readonly record: HeadRecord | null;
  /** Its last entry is a seal. */
  readonly isSealed: boolean;
}

const MAX_KNOWN = 10_000;
const MAX_ATTEMPTS = 20;
const USUAL_BYTES = 4096;

/** Reads the records of sessions: of each the first lines of its base and of its last entries, and nothing while it did not change. */
export class SessionHeads {
  readonly #folder: StoreFolder;
  readonly #known = new Map<string, SessionHead>();

  constructor(folder: StoreFolder) {
    this.#folder = folder;
  }

  /** Also `undefined` when the session is damaged: whoever reads it alone is told. */
  find(session: string): SessionHead | undefined {
    const known = this.#known.get(session);
    if (known !== undefined && this.#isNewest(known)) return known;
    this.#known.delete(session);
    const head = this.#read(session);
    if (head === undefined) return undefined;
    // Nothing is written behind a seal: what comes next is in the generation that follows, which is not in force yet.
    if (head.isSealed) return head;
    this.#known.set(session, head);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return head;
  }

  /** Whose session it is, by any of its files that can still be read. */
  findKey(session: string): SessionKey | undefined {
    const { disk } = this.#folder;
    const lives = disk.names(session).map((life) => join(session, life));
    const bases = lives
      .flatMap((life) => this.#folder.generationsOf(life))
      .flatMap(({ generation }) =>
        numbersOf(disk.names(generation), "base").map((seq) => join(generation, baseName(seq))),
      );
    for (const base of bases) {
      const header = this.#tryHeader(base);
      if (header?.type === "base") return keyOf(header);
    }
    return undefined;
  }

  #isNewest({ place, seq }: SessionHead): boolean {
    const next = join(place.generation, entryName(seq + 1));
    return !this.#folder.isThere(next) && this.#folder.isThere(place.generation);
  }

  #read(session: string): SessionHead | undefined {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        const place = this.#folder.locate(session);
        return place && this.#readFrom(place);
      } catch (error) {
        if (isBeyondReading(error)) return undefined;
        // The generation is over; there is another one.
        if (!failedWith(error, "ENOENT")) throw error;
      }
    }
    return undefined;
  }

  #readFrom(place: Place): SessionHead | undefined {
    const names = this.#folder.disk.names(place.generation);
    const newest = baseName(numbersOf(names, "base").at(-1) ?? 0);
    const base = this.#readHeader(join(place.generation, newest));
    if (base.type !== "base") throw damaged();
    const key = keyOf(base);
    const entries = numbersOf(names, "entry").filter((seq) => seq > base.seq);
    const seq = entries.at(-1) ?? base.seq;
    let isSealed = false;
    for (const number of entries.toReversed()) {
      const header = this.#readHeader(join(place.generation, entryName(number)));
      if (header.type === "end")
        return { place, seq, key, record: null, live: 0, dead: 0, isSealed };
      isSealed ||= header.type === "seal";
      if (header.type !== "commit") continue;
      const { record, live, dead } = header;
      return { place, seq, key, record: frozen(record), live, dead, isSealed };
    }
    const { live, dead } = base;
    return { place, seq, key, record: frozen(base.record), live, dead, isSealed };
  }

  #tryHeader(path: string): BaseHeader | EntryHeader | undefined {
    try {
      return this.#readHeader(path);
    } catch (error) {
      if (isBeyondReading(error) || failedWith(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  #readHeader(path: string): BaseHeader | EntryHeader {
    for (let maxBytes = USUAL_BYTES; ; maxBytes *= 4) {
      const bytes = this.#folder.disk.read(path, maxBytes);
      const header = decodeHeader(bytes);
      if (header !== undefined) return header;
      if (bytes.length < maxBytes) throw damaged();
    }
  }
}

function keyOf({ key: [tenant, agent, sessionId] }: BaseHeader): SessionKey {
  return { scope: createScope(tenant), agent, sessionId };
}

function isBeyondReading(error: unknown): boolean {
  if (TurnkeepError.is(error)) return error.status === "DATA_LOSS";
  return failedWith(error, "ELOOP", "ENOTDIR", "EISDIR");
}

function frozen(record: HeadRecord | null): HeadRecord | null {
  return record === null ? null : freezeRecord(record);
}
