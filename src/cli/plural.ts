/** A number of things, as it is said: `1 session`, `2 sessions`. */
export function plural(value: number, word: string): string {
  return `${value} ${word}${value === 1 ? "" : "s"}`;
}
