/** A number that looks like chance and is always the same for the same text. */
export function numberFrom(text: string): number {
  return Array.from(text).reduce(
    (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973,
    7,
  );
}
