import { type SessionStore, TurnkeepError } from "turnkeep";

export interface Unreliable {
  readonly store: SessionStore;
  /** Decides for each call, by its name, whether it fails. */
  fails: (call: string) => boolean;
  /** How many calls failed so far. */
  failures: number;
}

/** A store whose calls fail for a while, as when the network is away. What it was told before that stays. */
export function unreliable(store: SessionStore): Unreliable {
  const control: Unreliable = { store, fails: () => false, failures: 0 };
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...values: unknown[]) => unknown;
      const check = (): void => {
        if (!control.fails(String(name))) return;
        control.failures += 1;
        throw new TurnkeepError("UNAVAILABLE", "The store is away.", { retryable: true });
      };
      const checked = (...values: unknown[]): unknown => {
        check();
        return call(...values);
      };
      // The one call that answers with no promise fails at once.
      return name === "watch" ? checked : async (...values: unknown[]) => await checked(...values);
    },
  });
  return Object.assign(control, { store: proxy });
}
