/** When something was going on, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

// All pauses together take at most this much of what is worked.
const PAUSES = 0.25;

/**
 * Where a time stands between the first and the last, from 0 to 1. With `cutsPauses`, what lies between the spans is drawn short: turns take
 * seconds, and people come back after days.
 */
export function timeScale(
  spans: readonly Span[],
  { cutsPauses }: { readonly cutsPauses: boolean },
): (time: number) => number {
  const busy = merged(spans);
  const first = busy[0]?.from ?? 0;
  const last = busy.at(-1)?.to ?? 0;
  if (!cutsPauses) return (time) => share(time - first, last - first);
  const worked = busy.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = (PAUSES * worked) / Math.max(busy.length - 1, 1);
  const places: (Span & { readonly at: number })[] = [];
  let at = 0;
  for (const [index, span] of busy.entries()) {
    const before = busy[index - 1];
    at += before ? Math.min(span.from - before.to, longest) : 0;
    places.push({ ...span, at });
    at += span.to - span.from;
  }
  return (time) => {
    const place = places.findLast(({ from }) => from <= time);
    return place ? share(place.at + Math.min(time, place.to) - place.from, at) : 0;
  };
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** The spans in order, those that touch as one. */
function merged(spans: readonly Span[]): readonly Span[] {
  const whole: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    const last = whole.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else whole.push({ from, to });
  }
  return whole;
}
