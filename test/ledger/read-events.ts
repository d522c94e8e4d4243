import { loggedRun } from "../../src/ledger/event-log.ts";
import type { Ledger, NumberedEvent, SessionKey } from "../../src/ledger/index.ts";

/** All events of a run after a seq that are there by now. */
export async function readEvents(
  ledger: Ledger,
  {
    key,
    runId,
    after = 0,
  }: { readonly key: SessionKey; readonly runId: string; readonly after?: number },
): Promise<readonly NumberedEvent[]> {
  const events: NumberedEvent[] = [];
  const run = loggedRun(key, runId);
  for (let last = after, row: string | undefined; ;) {
    const page = await ledger.readHeldEvents(run, { after: last, row, isDoubtful: true });
    if (page.lists.length === 0) return events;
    events.push(...page.lists.flat().map(({ seq, event }) => ({ seq, event })));
    row = page.row;
    last = events.at(-1)?.seq ?? last;
  }
}
