const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
];

// Made once: making one takes longer than drawing a row.
const NUMBER = new Intl.NumberFormat("en");
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** How long ago, in one unit. */
export function ago(time: number | string, now: number = Date.now()): string {
  const past = Math.max(now - timeOf(time), 0);
  const unit = UNITS.find(([, size]) => past >= size);
  return unit ? `${Math.floor(past / unit[1])} ${unit[0]} ago` : "just now";
}

export function duration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}

export function count(value: number): string {
  return NUMBER.format(value).replaceAll(",", "\u202f");
}

export function plural(value: number, word: string): string {
  return `${count(value)} ${word}${value === 1 ? "" : "s"}`;
}

export function dateTime(time: number | string): string {
  return DATE_TIME.format(timeOf(time));
}

/** Long ids are told apart by their ends. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `…${id.slice(-8)}`;
}

/** The tokens of a turn, whatever the provider calls them. */
export function tokensOf(usage: Readonly<Record<string, unknown>> | undefined): {
  readonly input: number;
  readonly output: number;
  readonly total: number;
} {
  const numberOf = (name: string): number => {
    const value = usage?.[name];
    return typeof value === "number" ? value : 0;
  };
  const input = numberOf("inputTokens");
  const output = numberOf("outputTokens");
  return { input, output, total: numberOf("totalTokens") || input + output };
}

/** How long a turn took, waiting included; `undefined` where no turn has ended. */
export function turnMs({
  event,
  status,
  createdAt,
  updatedAt,
}: {
  readonly event: string;
  readonly status?: string;
  readonly createdAt: string;
  readonly updatedAt?: string;
}): number | undefined {
  const isOver = event === "turn-end" && status !== "pending" && updatedAt !== undefined;
  return isOver ? timeOf(updatedAt) - timeOf(createdAt) : undefined;
}

export function turnTime(snapshot: Parameters<typeof turnMs>[0]): string | undefined {
  const took = turnMs(snapshot);
  return took === undefined ? undefined : duration(took);
}

function timeOf(time: number | string): number {
  return typeof time === "number" ? time : Date.parse(time);
}
