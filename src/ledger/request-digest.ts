import { canonicalText } from "./canonical-text.ts";
import { freezeJson } from "./freeze-json.ts";
import type { Submission } from "./ledger.ts";
import { hashText } from "./sha256.ts";

/** Digests by which a request that is sent again is recognised. */
export function digestRequest(
  requestId: string,
  { input, parentId, principal, metadata }: Submission,
): { readonly key: string; readonly body: string } {
  const asked = [input, parentId ?? null, principal ?? null];
  const body = freezeJson(metadata === undefined ? asked : [...asked, metadata]);
  return { key: hashText(requestId), body: hashText(canonicalText(body)) };
}
