// Registered, since the module that is looked at may have brought its own copy of this package along.
const LOOKING = Symbol.for("turnkeep/looking-only");

/** @internal Agents that are defined in this process from now on look for no turns: for programs that only look at what is kept. */
export function lookOnly(): void {
  Object.defineProperty(globalThis, LOOKING, { value: true, configurable: true });
}

export function isLookingOnly(): boolean {
  return LOOKING in globalThis;
}
