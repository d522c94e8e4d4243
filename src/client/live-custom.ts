import {
  applyPatch,
  isReservedKey,
  type Json,
  type JsonPatchOperation,
  type SessionSnapshot,
} from "../protocol/index.ts";
import type { RunUpdate } from "./agent-types.ts";

/** Where the state is kept. */
export interface Kept {
  getSnapshot(snapshotId: string): Promise<SessionSnapshot<unknown>>;
  getLatestSnapshot(sessionId: string): Promise<SessionSnapshot<unknown>>;
}

/** The custom state as the patches of a run tell it. Once a patch does not fit, nothing is guessed: the kept state is read until a patch begins anew. */
export class LiveCustom {
  readonly #kept: Kept;
  readonly #sessionId: () => string;
  #value: unknown;
  #isLost = false;

  constructor(kept: Kept, sessionId: () => string) {
    this.#kept = kept;
    this.#sessionId = sessionId;
  }

  get value(): unknown {
    return this.#value;
  }

  async take({ chunk }: Pick<RunUpdate<unknown>, "chunk">): Promise<void> {
    const { customPatch, turnEnd } = chunk ?? {};
    if (customPatch && (!this.#isLost || customPatch[0]?.path === "")) {
      this.#isLost = !this.#apply(customPatch);
      if (this.#isLost) await this.#refetch(undefined);
    }
    if (turnEnd && this.#isLost) await this.#refetch(turnEnd.snapshotId);
  }

  #apply(patch: readonly JsonPatchOperation[]): boolean {
    try {
      if (patch.some(isReserved)) return false;
      this.#value = applyPatch((this.#value as Json | undefined) ?? null, patch);
      return true;
    } catch {
      return false;
    }
  }

  // What cannot be read now is read at the end of the turn.
  async #refetch(snapshotId: string | undefined): Promise<void> {
    const { state } = await (
      snapshotId === undefined
        ? this.#kept.getLatestSnapshot(this.#sessionId())
        : this.#kept.getSnapshot(snapshotId)
    ).catch(() => ({ state: { custom: this.#value } }));
    this.#value = state?.custom;
  }
}

// As in all that comes from the wire.
function isReserved(operation: JsonPatchOperation): boolean {
  const from = "from" in operation ? operation.from : "";
  return `${operation.path}/${from}`.split("/").some(isReservedKey);
}
