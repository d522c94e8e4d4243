import type { SessionStore } from "turnkeep";
import { type Gate, gateOf } from "./waiting.ts";

/** An answer that a test holds back. */
export interface HeldAnswer {
  /** Opens when the commit is durable and its answer is held back. */
  readonly reached: Gate;
  /** Lets the answer through. */
  readonly gate: Gate;
}

export function heldAnswer(): HeldAnswer {
  return { reached: gateOf(), gate: gateOf() };
}

/** A store whose commits are durable at once, but answered when the gate opens. */
export function answeringLate(store: SessionStore, { reached, gate }: HeldAnswer): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      const bound = member.bind(target) as (...values: unknown[]) => unknown;
      if (name !== "commit") return bound;
      return async (...values: unknown[]) => {
        const answer = await bound(...values);
        reached.open();
        await gate.promise;
        return answer;
      };
    },
  });
}
