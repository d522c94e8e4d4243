const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Texts that can be read one by one: cut at empty lines, but not within code, lists or quotes. */
export function splitBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let current: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    const isCut = fence === undefined && line.trim() === "" && current.length > 0;
    if (isCut) {
      blocks.push(current.join("\n"));
      current = [];
    } else if (current.length > 0 || line.trim() !== "") current.push(line);
  }
  if (current.length > 0) blocks.push(current.join("\n"));
  return joinLists(blocks);
}

// A list with empty lines between its items is one list.
function joinLists(blocks: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && LIST.test(last) && /^(?:\s+\S|[-*+] |\d+[.)] )/.test(block)) {
      joined[joined.length - 1] = `${last}\n\n${block}`;
    } else joined.push(block);
  }
  return joined;
}

const LIST = /^(?:[-*+] |\d+[.)] )/;
