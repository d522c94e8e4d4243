const encoder = new TextEncoder();

/** Whether a text takes more than `most` bytes in UTF-8. Most texts are answered by their length alone. */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length > most) return true;
  // No UTF-16 code unit takes more than three bytes.
  return text.length * 3 > most && encoder.encode(text).length > most;
}
