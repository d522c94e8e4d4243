import { median } from "../../../bench/median.ts";
import { textTable } from "../../../bench/text-table.ts";
import type { Finding, Judged } from "./finding.ts";

/** What the rounds of one measurement come to. */
export function judge(rounds: readonly (readonly Finding[])[]): readonly Judged[] {
  const [first = []] = rounds;
  return first.map((finding, place) => {
    const values = rounds.map((round) => round[place]?.value ?? Number.NaN);
    const value = finding.told === "median" ? median(values) : Math.max(...values);
    return { ...finding, value, values, isMet: isMet({ ...finding, value }) };
  });
}

export function tableOf(judged: readonly Judged[]): string {
  return textTable([
    ["what", "bound", "measured", "rounds", "met"],
    ...judged.map((one) => [
      one.what,
      boundOf(one),
      `${digits(one.value)} ${one.unit}`,
      one.values.length > 1 ? one.values.map(digits).join(" ") : "–",
      one.isMet ? "yes" : "NO",
    ]),
  ]);
}

// What could not be measured is not met.
function isMet({ bound, value }: Finding): boolean {
  return "below" in bound ? value < bound.below : value <= bound.atMost;
}

function boundOf({ bound, unit }: Finding): string {
  return "below" in bound ? `< ${bound.below} ${unit}` : `<= ${bound.atMost} ${unit}`;
}

function digits(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
