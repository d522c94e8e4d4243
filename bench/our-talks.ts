import { Ledger, sweepDue, systemClock } from "../src/ledger/index.ts";
import type { Place } from "../test/support/places/place.ts";
import type { StoredTalk } from "./store-contenders.ts";
import { GrowingConversation } from "./growing-conversation.ts";
import { placeBytes } from "./stored-bytes.ts";

const PAST_RETENTION_MS = 48 * 3_600_000;

/** A conversation in a place of ours. */
export async function openTalk(place: Place): Promise<StoredTalk> {
  let ahead = 0;
  const store = await place.open({ clock: { now: () => systemClock.now() + ahead } });
  const ledger = new Ledger({ store });
  const conversation = new GrowingConversation(ledger);
  return {
    take: async (said) => void (await conversation.take(said)),
    resume: async () => {
      const head = await new Ledger({ store }).snapshots.findHead(conversation.key);
      return head?.content.messages.length ?? 0;
    },
    storedBytes: async () => {
      ahead += PAST_RETENTION_MS;
      await sweepDue(ledger);
      return await placeBytes(place, store);
    },
    remove: async () => {
      await store.close();
      await place.remove();
    },
  };
}
