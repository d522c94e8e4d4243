type Undo = () => unknown;

const undos: Undo[] = [];

/** Has something done when the tests of the file are over; what came last goes first. */
export function whenOver(undo: Undo): void {
  undos.push(undo);
}

/** Does what {@link whenOver} was given. Every test file does so once, see file-setup.ts. */
export async function undoAll(): Promise<void> {
  for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo();
}
