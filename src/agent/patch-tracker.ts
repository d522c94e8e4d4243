import {
  jsonEqual,
  type Json,
  type JsonPatchOperation,
  patchOrReplace,
} from "../protocol/index.ts";

const NOTHING_TO_SEND: readonly JsonPatchOperation[] = [];

/**
 * Turns the values that a session's custom state takes into patches for clients, each against what was sent last. The
 * first patch of a turn replaces the whole state, so that a client which joins with the turn needs nothing from before.
 *
 * A state that is unset again is sent as `null`: RFC 6902 has no way to remove the whole document, and to a client `null`
 * and no state say the same. Values are kept by reference and must not be changed in place.
 */
export class PatchTracker {
  #sent: Json | undefined;
  #sendWhole = true;

  /** Starts from the custom state that clients have already, if any. */
  constructor(known?: Json) {
    this.#sent = known;
  }

  /** Makes the next patch replace the whole state. */
  startTurn(): void {
    this.#sendWhole = true;
  }

  /** The patch that brings clients up to this value, counted as sent. Empty when they have it. */
  next(custom: Json | undefined): readonly JsonPatchOperation[] {
    const before = this.#sent;
    if (custom === undefined && before === undefined) return NOTHING_TO_SEND;
    const after = custom ?? null;
    const patch =
      this.#sendWhole || before === undefined
        ? replaceUnlessEqual(before, after)
        : patchOrReplace(before, after);
    if (patch.length === 0) return NOTHING_TO_SEND;
    this.#sent = after;
    this.#sendWhole = false;
    return patch;
  }
}

function replaceUnlessEqual(before: Json | undefined, after: Json): readonly JsonPatchOperation[] {
  return jsonEqual(before, after) ? [] : [{ op: "replace", path: "", value: after }];
}
