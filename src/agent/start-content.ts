import { EMPTY_CONTENT, type SessionContent } from "../ledger/index.ts";
import { getContinuable } from "./get-continuable.ts";
import type { StoredRunOptions } from "./stored-run-options.ts";

/** What the first turn of a run will start from, as far as is known before it begins. */
export async function startContent(options: StoredRunOptions): Promise<SessionContent> {
  const { ledger, key, open, adopted, first } = options;
  const opening = open();
  if (opening) await opening;
  if (adopted) return (await ledger.work(key, adopted)).start?.content ?? EMPTY_CONTENT;
  if (first?.parentId !== undefined) {
    return (await getContinuable(ledger, key, first.parentId)).content;
  }
  return (await ledger.snapshots.findHead(key))?.content ?? EMPTY_CONTENT;
}
