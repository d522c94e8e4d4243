import fc from "fast-check";
import { PATH_NAMES, type PathName } from "../paths.ts";

/** What the agent does with one input. */
export interface InputPlan {
  readonly chunks: number;
  /** Waits until it is let go; one that is deaf, also when it was aborted. */
  readonly waits: "not" | "heedful" | "deaf";
  readonly ends: "stop" | "interrupted" | "failed";
}

export type Action =
  /** One input by any path. A connection in process may stay open for more. */
  | {
      readonly do: "send";
      readonly path: PathName;
      readonly at: "a" | "b";
      readonly onBusy: "queue" | "interrupt" | "reject";
      readonly detaches: boolean;
      readonly stays: boolean;
      readonly plan: InputPlan;
    }
  /** One more input on the connection that was opened last. */
  | { readonly do: "more"; readonly plan: InputPlan }
  | { readonly do: "close" }
  | { readonly do: "detach" }
  /** One more reader of a run, from its first event on. */
  | { readonly do: "attach"; readonly which: number; readonly at: "a" | "b" }
  | { readonly do: "abort"; readonly which: number; readonly at: "a" | "b" }
  | { readonly do: "release"; readonly which: number }
  /** Process a stops for longer than a lease, and b takes over what it worked on. */
  | { readonly do: "kill" }
  | { readonly do: "pass"; readonly milliseconds: number };

export interface Sequence {
  /** Whether the agent changes the state after its last turn. */
  readonly tidies: boolean;
  readonly snapshotWhen: "always" | "never" | "runEnd";
  readonly actions: readonly Action[];
}

const plan: fc.Arbitrary<InputPlan> = fc.record({
  chunks: fc.integer({ min: 1, max: 3 }),
  waits: fc.constantFrom("not", "heedful", "heedful", "deaf"),
  ends: fc.constantFrom("stop", "stop", "interrupted", "failed"),
});

const at = fc.constantFrom("a" as const, "b" as const);
const which = fc.integer({ min: 0, max: 7 });

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      path: fc.constantFrom("in process" as const, ...PATH_NAMES),
      at,
      onBusy: fc.constantFrom("queue", "queue", "interrupt", "reject"),
      detaches: fc.integer({ min: 0, max: 5 }).map((dice) => dice === 0),
      stays: fc.boolean(),
      plan,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("more" as const), plan }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("detach" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("attach" as const), which, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("abort" as const), which, at }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("release" as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("kill" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("pass" as const),
      milliseconds: fc.constantFrom(1, 30, 120, 400),
    }),
  },
);

export const sequence: fc.Arbitrary<Sequence> = fc.record({
  tidies: fc.boolean(),
  snapshotWhen: fc.constantFrom("always", "always", "never", "runEnd"),
  actions: fc.array(action, { minLength: 2, maxLength: 12, size: "max" }),
});
