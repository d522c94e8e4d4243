// Dotprompt renders a template to one text in which "<<<dotprompt:" starts a marker for a role, the history or a medium, and reads the markers
// afterwards. The last "<" of a marker is broken off from what follows, also where the rest could come from the value after it, and so is a value
// that would be the rest of a marker after the template's own "<<<".
const MARKER_START =
  /<(?=dotprompt:|(?:d(?:o(?:t(?:p(?:r(?:o(?:m(?:p(?:t)?)?)?)?)?)?)?)?)?$)|^(?=dotprompt(?::|$))/g;

/** How dotprompt's markers begin. */
export const MARKER = "<<<dotprompt:";

// Takes no room and breaks no line.
const WORD_JOINER = "\u2060";

/**
 * The value with every text in it made harmless for a template: no part of it, nor any two of them side by side, can become a marker. The very same
 * value where there is nothing to do.
 */
export function neutralText<Value>(value: Value): Value {
  return neutral(value) as Value;
}

function neutral(value: unknown): unknown {
  if (typeof value === "string") return neutralString(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? neutralList(value) : neutralObject(value);
}

function neutralString(text: string): string {
  const isPlain = !text.includes("<") && !text.startsWith("dotprompt");
  return isPlain ? text : text.replaceAll(MARKER_START, `$&${WORD_JOINER}`);
}

function neutralList(list: readonly unknown[]): readonly unknown[] {
  const next = list.map(neutral);
  return next.every((item, index) => item === list[index]) ? list : next;
}

// Templates can show keys as well.
function neutralObject(object: object): object {
  const entries = Object.entries(object);
  const next = entries.map(([key, value]) => [neutralString(key), neutral(value)] as const);
  const isSame = next.every(
    ([key, value], index) => key === entries[index]?.[0] && value === entries[index]?.[1],
  );
  return isSame ? object : Object.fromEntries(next);
}
