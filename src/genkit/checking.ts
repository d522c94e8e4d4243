/** Marks the context of a rendering that only shows whether a prompt can be rendered. Functions of the prompt are not called for it: they may need a caller. */
export const CHECKING: unique symbol = Symbol("turnkeep.checking");

export function isChecking(context: object | undefined): boolean {
  return context !== undefined && CHECKING in context;
}

/** The part of a prompt, with functions that are left out of such a rendering. */
export function skippedWhileChecking<Part>(part: Part): Part {
  if (typeof part !== "function") return part;
  const resolve = part as unknown as Resolver;
  const skipping: Resolver = (input, moment) =>
    isChecking(moment.context) ? [] : resolve(input, moment);
  return skipping as unknown as Part;
}

type Resolver = (input: unknown, moment: { readonly context?: object }) => unknown;
