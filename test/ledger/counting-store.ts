import type { SessionStore } from "../../src/ledger/index.ts";

/** The same store, with a count of the calls to each method. */
export function countingStore(store: SessionStore): {
  readonly store: SessionStore;
  readonly calls: Map<string, number>;
} {
  const calls = new Map<string, number>();
  const counted = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...values: unknown[]): unknown => {
        calls.set(String(name), (calls.get(String(name)) ?? 0) + 1);
        return member.apply(target, values);
      };
    },
  });
  return { store: counted, calls };
}
