import type { SurveyedSession } from "../../ledger/index.ts";
import type { SessionHeads } from "./session-heads.ts";
import type { StoreFolder } from "./store-folder.ts";
import { everySession } from "./sweep-folder.ts";

/** All sessions, the damaged ones too: by the name in one of their files or, where none tells it, by their folder. */
export async function* surveySessions(
  folder: StoreFolder,
  heads: SessionHeads,
): AsyncGenerator<SurveyedSession, void> {
  for await (const session of everySession(folder)) {
    const head = heads.find(session);
    if (head?.record && head.record.deletedAt === undefined) yield { key: head.key };
    if (head !== undefined || folder.disk.names(session).length === 0) continue;
    const key = heads.findKey(session);
    yield key ? { key } : { place: session };
  }
}
