import { type Append, type AppendOutcome, isShortLived } from "../../ledger/index.ts";
import { packRow } from "../packed-value.ts";
import { sessionName } from "../session-name.ts";
import type { PostgresValue } from "./postgres-pool.ts";

/** An append, and its place among those handed over together. */
export interface PlacedAppend {
  readonly append: Append;
  readonly place: number;
}

/**
 * The appends that are worth asking about, in an order that is the same for everybody: whoever locks several sessions locks them in
 * this order, and so nobody waits in a circle. Those to one session stay in the order they came in.
 */
export function orderAppends(appends: readonly Append[]): readonly PlacedAppend[] {
  return appends
    .map((append, place) => ({ append, place, name: sessionName(append.key) }))
    .filter(({ append }) => !contradictsItself(append))
    .toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

/** The values of the statement that writes all these appends. `newsOf` says what is told of each. */
export function toAppendValues(
  ordered: readonly PlacedAppend[],
  channel: string | null,
  newsOf: (append: Append) => string,
): PostgresValue[] {
  const appends = ordered.map(({ append }) => append);
  const rows = appends.flatMap((append, index) =>
    append.rows.map((row) => ({ ...packRow(row), owner: index + 1 })),
  );
  return [
    appends.map(({ key }) => key.scope.tenant),
    appends.map(({ key }) => key.agent),
    appends.map(({ key }) => key.sessionId),
    appends.map(({ fence }) => fence.epoch),
    appends.map(({ fence }) => fence.snapshotId),
    rows.map(({ owner }) => owner),
    rows.map(({ key }) => key),
    rows.map(({ key }) => isShortLived(key)),
    rows.map(({ value }) => value),
    channel,
    channel === null ? [] : appends.map(newsOf),
  ];
}

/** The outcomes in the order in which the appends were handed over. */
export function outcomesFrom(
  written: readonly boolean[],
  ordered: readonly PlacedAppend[],
  count: number,
): readonly AppendOutcome[] {
  const outcomes = Array.from({ length: count }, (): AppendOutcome => "fenced");
  for (const [index, { place }] of ordered.entries()) {
    if (written[index] === true) outcomes[place] = "ok";
  }
  return outcomes;
}

function contradictsItself({ rows }: Append): boolean {
  const values = new Map(rows.map((row) => [row.key, row.value]));
  return rows.some((row) => values.get(row.key) !== row.value);
}
