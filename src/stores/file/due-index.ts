import { basename, dirname, join } from "node:path";
import { type DueQuery, type HeadRecord, systemClock } from "../../ledger/index.ts";
import { failedWith, ignoreFailure, isGone } from "./disk.ts";
import type { StoreFolder } from "./store-folder.ts";

type Kind = DueQuery["kind"];

const KINDS: readonly Kind[] = ["work", "sweep"];
const BUCKET_MS = 60_000;
const DIGITS = 12;
const MAX_ATTEMPTS = 10;
/** A mark is made before the commit that needs it. One as old as this does not wait for its commit any more. */
export const SETTLED_MS = 60_000;

/**
 * Empty files that say at which minute to look at a session. Whoever follows a mark reads the session to learn the time itself;
 * marks that no longer hold are taken away then. They are not waited for on the disk: `sweep()`, and the first search of
 * every process, put back what a power cut has lost.
 */
export class DueIndex {
  readonly #folder: StoreFolder;

  constructor(folder: StoreFolder) {
    this.#folder = folder;
  }

  /** Marks the times of `after` that were not those of `before`. */
  async note(session: string, before: HeadRecord | null, after: HeadRecord | null): Promise<void> {
    for (const kind of KINDS) {
      const bucket = bucketOf(timeOf(kind, after));
      if (bucket === undefined || bucket === bucketOf(timeOf(kind, before))) continue;
      await this.#mark(this.#markOf(kind, bucket, session));
    }
  }

  /** Puts back the marks of a session that are missing. */
  async repair(session: string, record: HeadRecord): Promise<void> {
    for (const kind of KINDS) {
      const bucket = bucketOf(timeOf(kind, record));
      if (bucket === undefined) continue;
      const mark = this.#markOf(kind, bucket, session);
      if (!this.#folder.isThere(mark)) await this.#mark(mark);
    }
  }

  /** The minutes up to this time in which there are marks, longest past first. */
  bucketsUntil(kind: Kind, time: number): readonly string[] {
    const last = bucketOf(time) ?? "";
    return this.#folder.disk
      .names(join(this.#folder.due, kind))
      .filter((bucket) => bucket <= last)
      .toSorted();
  }

  /** The folders of the sessions that have a mark in this minute. */
  sessionsIn(kind: Kind, bucket: string): readonly string[] {
    return this.#folder.disk
      .names(join(this.#folder.due, kind, bucket))
      .map((name) => join(this.#folder.sessions, ...name.split("-")));
  }

  /** Takes away a mark that does not hold, unless somebody may just be about to make it true. */
  async unmark(kind: Kind, bucket: string, session: string): Promise<void> {
    const mark = this.#markOf(kind, bucket, session);
    const markedAt = this.#folder.disk.changedAt(mark);
    if (markedAt === undefined || markedAt > systemClock.now() - SETTLED_MS) return;
    await ignoreFailure(this.#folder.disk.removeFile(mark));
    await ignoreFailure(this.#folder.disk.removeFolder(dirname(mark)));
  }

  async #mark(mark: string): Promise<void> {
    const { disk } = this.#folder;
    const bucket = dirname(mark);
    // A sweep may take an empty folder away before there is a mark in it.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (!(await isGone(disk.touch(mark)))) return;
      for (const path of [dirname(bucket), bucket]) await this.#makeFolder(path);
    }
    await disk.touch(mark);
  }

  async #makeFolder(path: string): Promise<void> {
    try {
      await this.#folder.disk.makeFolder(path);
    } catch (error) {
      if (!failedWith(error, "EEXIST")) throw error;
    }
  }

  #markOf(kind: Kind, bucket: string, session: string): string {
    const name = `${basename(dirname(session))}-${basename(session)}`;
    return join(this.#folder.due, kind, bucket, name);
  }
}

export function timeOf(kind: Kind, record: HeadRecord | null): number | null {
  return (kind === "work" ? record?.dueAt : record?.sweepAt) ?? null;
}

/** The name of the minute that a time is in. */
export function bucketOf(time: number | null): string | undefined {
  if (time === null) return undefined;
  return String(Math.max(0, Math.floor(time / BUCKET_MS))).padStart(DIGITS, "0");
}
