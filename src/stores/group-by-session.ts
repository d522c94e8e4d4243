import type { Append } from "../ledger/index.ts";
import { sessionName } from "./session-name.ts";

/** Appends to one session, and their places among those that were handed over. */
export interface AppendGroup {
  readonly places: readonly number[];
  readonly appends: readonly [Append, ...Append[]];
}

/** Copies them, too: whoever made them may go on changing them. */
export function groupBySession(appends: readonly Append[]): Iterable<AppendGroup> {
  const groups = new Map<string, { places: number[]; appends: [Append, ...Append[]] }>();
  for (const [place, { rows, ...append }] of appends.entries()) {
    const copy = { ...append, rows: [...rows] };
    const group = groups.get(sessionName(append.key));
    if (group === undefined)
      groups.set(sessionName(append.key), { places: [place], appends: [copy] });
    else {
      group.places.push(place);
      group.appends.push(copy);
    }
  }
  return groups.values();
}
