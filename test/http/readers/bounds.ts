/** One figure beside what it may be. */
export interface Bound {
  readonly what: string;
  readonly found: string;
  readonly bound: string;
  readonly isMet: boolean;
}

/** A table of them, for people. */
export function printBounds(title: string, bounds: readonly Bound[]): void {
  const widthOf = (name: "what" | "found" | "bound"): number =>
    Math.max(...bounds.map((bound) => bound[name].length));
  const [what, found, bound] = [widthOf("what"), widthOf("found"), widthOf("bound")];
  process.stdout.write(`${title}\n`);
  for (const one of bounds) {
    const verdict = one.isMet ? "met" : "NOT MET";
    process.stdout.write(
      `  ${one.what.padEnd(what)}  ${one.found.padStart(found)}  ${one.bound.padEnd(bound)}  ${verdict}\n`,
    );
  }
}

export function atMost(what: string, found: number | undefined, most: number, unit = ""): Bound {
  return {
    what,
    found: found === undefined ? "not known here" : `${round(found)}${unit}`,
    bound: `at most ${round(most)}${unit}`,
    isMet: found !== undefined && found <= most,
  };
}

export function atLeast(what: string, found: number, least: number): Bound {
  return { what, found: round(found), bound: `at least ${round(least)}`, isMet: found >= least };
}

export function none(what: string, found: number): Bound {
  return { what, found: round(found), bound: "none", isMet: found === 0 };
}

/** For what is told beside them. */
export function round(number: number): string {
  const digits = Math.abs(number) < 100 ? 2 : 0;
  return number.toLocaleString("en", { maximumFractionDigits: digits });
}
