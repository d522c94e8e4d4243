import type { Json } from "../json.ts";
import { applyTo } from "./apply-patch.ts";
import { jsonLength } from "./json-length.ts";
import type { JsonPatchOperation } from "./json-patch-operation.ts";
import { PatchDraft } from "./patch-draft.ts";
import { refusePatch } from "./refuse-patch.ts";

/** How much a patch may do. */
export interface PatchBounds {
  /** Characters of JSON that all `add`, `replace` and `copy` operations may add together. */
  readonly maxAddedCharacters: number;
}

/**
 * Like `applyPatch`, for a patch that comes from somebody else. Apart from it, since pages load that one and trust their server.
 *
 * @throws TurnkeepError INVALID_ARGUMENT, PATCH_REFUSED also when the patch adds too much.
 */
export function applyBoundedPatch(
  document: Json,
  operations: readonly JsonPatchOperation[],
  { maxAddedCharacters: most }: PatchBounds,
): Json {
  let added = 0;
  // Values that are removed again still count: counting them is work, too.
  const count = (value: Json): void => {
    added += jsonLength(value, most - added);
    if (added > most) refusePatch(`it adds more than ${most} characters of JSON`);
  };
  return applyTo(new PatchDraft(document, count), operations);
}
