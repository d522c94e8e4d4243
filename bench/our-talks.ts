import { Ledger, sweepDue, systemClock } from "../src/ledger/index.ts";
import type { Place } from "../test/support/places/place.ts";
import type { StoredTalk } from "./store-contenders.ts";
import { GrowingConversation } from "./growing-conversation.ts";
import { placeBytes } from "./stored-bytes.ts";

const PAST_RETENTION_MS = 48 * 3_600_000;
const TURNS_A_DAY = 100;

/** A conversation in a place of ours. */
export async function openTalk(place: Place): Promise<StoredTalk> {
  let ahead = 0;
  const store = await place.open({ clock: { now: () => systemClock.now() + ahead } });
  const ledger = new Ledger({ store });
  const conversation = new GrowingConversation(ledger);
  let turns = 0;
  const storedBytes = async (): Promise<number> => {
    ahead += PAST_RETENTION_MS;
    await sweepDue(ledger);
    return await placeBytes(place, store);
  };
  return {
    take: async (said) => {
      await conversation.take(said);
      turns += 1;
      // A day's talk is swept before the next one is over.
      if (turns % TURNS_A_DAY === 0) await storedBytes();
    },
    resume: async () => {
      const head = await new Ledger({ store }).snapshots.findHead(conversation.key);
      return head?.content.messages.length ?? 0;
    },
    storedBytes,
    remove: async () => {
      await store.close();
      await place.remove();
    },
  };
}
