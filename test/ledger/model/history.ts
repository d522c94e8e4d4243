import fc from "fast-check";

/** What one actor does, step by step, while the others do the same. */
export type Action =
  | {
      readonly do: "submit";
      readonly request: number;
      readonly policy: "reject" | "queue" | "interrupt";
      /** The process that submits works on the turn itself. */
      readonly begin: boolean;
      /** Where it starts, unless at the head. */
      readonly branch: "first" | "round" | null;
      readonly work: WorkPlan;
    }
  /** One more input for the run of an earlier one. */
  | {
      readonly do: "follow";
      readonly request: number;
      readonly begin: boolean;
      readonly work: WorkPlan;
    }
  | { readonly do: "detach"; readonly request: number }
  /** Ends a run between its turns, with what it changed since. */
  | { readonly do: "end"; readonly request: number }
  | { readonly do: "work"; readonly work: WorkPlan }
  | { readonly do: "abort"; readonly request: number; readonly by: "run" | "snapshot" }
  | { readonly do: "pin"; readonly request: number }
  | { readonly do: "edit"; readonly request: number }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "sweep" }
  | { readonly do: "remove" };

/** How a worker goes about its turn; it may die, or hand over, after any of its steps. */
export interface WorkPlan {
  readonly chunks: number;
  /** Snapshots that it saves on the way. */
  readonly rounds: number;
  readonly stopAfter: number | null;
  /** How it goes away: without a word, or letting go of the turn because its process shuts down or because it cannot go on. */
  readonly leaves: "dead" | "handed-over" | "given-up";
  /** What is left of it: a snapshot of the turn, one of its run's end, or none. */
  readonly saves: "turn" | "run" | "nothing";
  /** Whether what one input of a detached turn led to is saved before the next. */
  readonly savesProgress: boolean;
  /** Whether its run ends with it; else it waits for more inputs. */
  readonly endsRun: boolean;
}

export interface History {
  readonly actors: readonly (readonly Action[])[];
  /** Which commits lose their answer, before or after they were written. */
  readonly lostAnswers: readonly ("none" | "before" | "after")[];
  /** How many snapshots are kept; all of them when absent. */
  readonly keepLast: number | null;
}

const REQUESTS = 8;

const work: fc.Arbitrary<WorkPlan> = fc.record({
  chunks: fc.integer({ min: 0, max: 3 }),
  rounds: fc.constantFrom(0, 0, 1, 2),
  stopAfter: fc.option(fc.integer({ min: 0, max: 5 })),
  leaves: fc.constantFrom("dead" as const, "handed-over" as const, "given-up" as const),
  saves: fc.constantFrom("turn", "turn", "turn", "run", "nothing"),
  savesProgress: fc.integer({ min: 0, max: 3 }).map((dice) => dice > 0),
  endsRun: fc.boolean(),
});

const request = fc.integer({ min: 0, max: REQUESTS - 1 });

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("submit" as const),
      request,
      policy: fc.constantFrom("reject" as const, "queue" as const, "interrupt" as const),
      begin: fc.boolean(),
      branch: fc.constantFrom("first" as const, "round" as const, null, null, null, null),
      work,
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("follow" as const),
      request,
      // Mostly not, so that several wait.
      begin: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
      work,
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("detach" as const), request }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("end" as const), request }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("work" as const), work }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("abort" as const),
      request,
      by: fc.constantFrom("run" as const, "snapshot" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pin" as const), request }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), request }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      milliseconds: fc.constantFrom(10, 500, 1100),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const) }) },
);

export const history: fc.Arbitrary<History> = fc.record({
  actors: fc.array(fc.array(action, { minLength: 1, maxLength: 8 }), {
    minLength: 2,
    maxLength: 4,
  }),
  lostAnswers: fc.array(
    fc.constantFrom(
      "none" as const,
      "none" as const,
      "none" as const,
      "before" as const,
      "after" as const,
    ),
    { maxLength: 12 },
  ),
  keepLast: fc.constantFrom(null, 1, 2, 3),
});
