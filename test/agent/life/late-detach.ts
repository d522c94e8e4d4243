import type { SessionStore } from "turnkeep";
import { until } from "./waiting.ts";

/** A store that answers what only detaching asks, for the record and nothing else, when the turn is over. */
export function withLateDetach(store: SessionStore): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "load") return member.bind(target) as unknown;
      return async (...[key, want]: Parameters<SessionStore["load"]>) => {
        if (want && Object.keys(want).length > 0) return await store.load(key, want);
        await until(async () => (await store.load(key)).record?.active === null);
        return await store.load(key, want);
      };
    },
  });
}
