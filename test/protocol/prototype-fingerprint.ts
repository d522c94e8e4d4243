const BUILT_INS = [Object, Array, Function, String, Number, Boolean, Map, Set, Error];

/** What hangs on the built-in prototypes. Two of them differ when something was polluted in between. */
export function prototypeFingerprint(): string {
  const names = BUILT_INS.map((builtIn) => [
    builtIn.name,
    Reflect.ownKeys(builtIn).map(String),
    Reflect.ownKeys(builtIn.prototype as object).map(String),
  ]);
  return JSON.stringify(names);
}
