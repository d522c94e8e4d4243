import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { type SessionKey, systemPorts } from "../../ledger/index.ts";
import { sessionName } from "../session-name.ts";
import type { Disk } from "./disk.ts";

/** One incarnation of a session, and the folder in it where its history is being written. */
export interface Place {
  readonly life: string;
  readonly generation: string;
  readonly number: number;
}

const DIGITS = 10;
const GENERATION = /^(\d{10})-([0-9a-z]+)$/;
const DEAD = "dead-";

/**
 * Where everything is:
 *
 *     sessions/<tenant>/<session>/<life>/<generation>/<number>.base, <number>.entry
 *     due/<kind>/<minute>/<tenant>-<session>
 *     temporary/<id>
 *
 * Tenants and sessions go by the hash of their names, so that no name can lead anywhere. Lives and generations have ids of their own,
 * so that a path that was once given up never leads to something new.
 */
export class StoreFolder {
  readonly disk: Disk;
  readonly sessions: string;
  readonly due: string;
  readonly temporary: string;

  constructor(root: string, disk: Disk) {
    this.disk = disk;
    this.sessions = join(root, "sessions");
    this.due = join(root, "due");
    this.temporary = join(root, "temporary");
  }

  tenantOf(tenant: string): string {
    return join(this.sessions, hash(tenant));
  }

  sessionOf(key: SessionKey): string {
    return join(this.tenantOf(key.scope.tenant), hash(sessionName(key)));
  }

  temporaryOf(id: string): string {
    return join(this.temporary, id);
  }

  newTemporary(): string {
    return this.temporaryOf(newId());
  }

  /** A new name among the temporary ones for what nobody needs any more. */
  newDead(): string {
    return this.temporaryOf(DEAD + newId());
  }

  isThere(path: string): boolean {
    return this.disk.changedAt(path) !== undefined;
  }

  /** Where the session's history is being written, if the session is there. */
  locate(session: string): Place | undefined {
    this.disk.refuseLink(dirname(session));
    for (const id of this.disk.names(session)) {
      const life = join(session, id);
      const newest = this.generationsOf(life).at(-1);
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  /** In the order in which they were written. */
  generationsOf(life: string): readonly Place[] {
    return this.disk
      .names(life)
      .filter((name) => GENERATION.test(name))
      .toSorted()
      .map((name) => ({ life, generation: join(life, name), number: Number.parseInt(name, 10) }));
  }
}

export function generationName(number: number, id: string): string {
  return `${digits(number)}-${id}`;
}

export function entryName(seq: number): string {
  return `${digits(seq)}.entry`;
}

export function baseName(seq: number): string {
  return `${digits(seq)}.base`;
}

/** The numbers of the files with this ending, in order. */
export function numbersOf(names: readonly string[], ending: "base" | "entry"): readonly number[] {
  return names
    .filter((name) => name.endsWith(`.${ending}`))
    .map((name) => Number.parseInt(name, 10))
    .toSorted((one, other) => one - other);
}

export function isDead(name: string): boolean {
  return name.startsWith(DEAD);
}

export function newId(): string {
  return systemPorts.ids.next();
}

function digits(number: number): string {
  return String(number).padStart(DIGITS, "0");
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
