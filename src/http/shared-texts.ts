import type { RunUpdate, UpdatePage } from "../agent/index.ts";

/** What an update is to its reader; nothing, for one that says nothing to it. */
export type Encode = (update: RunUpdate) => string;

/** About as many characters go together. */
export const PIECE: number = 32 * 1024;

/** What the reader is told of a page, in pieces: short texts go together. */
export function* piecesOf(page: UpdatePage, encode: Encode): Generator<string> {
  let text = "";
  for (const updates of page) {
    for (const part of sharedTexts(updates, encode)) {
      text += part;
      if (text.length < PIECE) continue;
      yield text;
      text = "";
    }
  }
  if (text !== "") yield text;
}

const TEXTS = new WeakMap<readonly RunUpdate[], WeakMap<Encode, readonly string[]>>();

/** Readers of one run read the same lists, and are told the same: it is encoded once. Those whose words are their own leave none behind. */
export function sharedTexts(updates: readonly RunUpdate[], encode: Encode): readonly string[] {
  const known = TEXTS.get(updates)?.get(encode);
  if (known) return known;
  const texts = textsOf(updates, encode);
  const byEncode = TEXTS.get(updates) ?? new WeakMap<Encode, readonly string[]>();
  TEXTS.set(updates, byEncode.set(encode, texts));
  return texts;
}

function textsOf(updates: readonly RunUpdate[], encode: Encode): readonly string[] {
  const texts: string[] = [];
  let text = "";
  for (const update of updates) {
    text += encode(update);
    if (text.length < PIECE) continue;
    texts.push(text);
    text = "";
  }
  return text === "" ? texts : [...texts, text];
}
