import { type } from "arktype";
import * as valibot from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { checkCustom, type CustomOf, type StateSchema } from "../../src/agent/state-schema.ts";
import type { Json } from "../../src/protocol/index.ts";

type Mood = { mood: string; count: number };

const ofZod = z.object({ mood: z.string(), count: z.number().default(0) });
const ofValibot = valibot.object({
  mood: valibot.string(),
  count: valibot.optional(valibot.number(), 0),
});
const ofArktype = type({ mood: "string", count: "number = 0" });

// Stands for what takes a definition: the schema's type must reach the code that uses the state.
declare function define<Custom>(options: {
  readonly state: StateSchema<Custom>;
  readonly update: (draft: Custom) => Custom | void;
}): Custom;

test("a schema tells the type of the state that it puts out", () => {
  expectTypeOf<CustomOf<typeof ofZod>>().toEqualTypeOf<Mood>();
  expectTypeOf<CustomOf<typeof ofValibot>>().toEqualTypeOf<Mood>();
  expectTypeOf<CustomOf<typeof ofArktype>>().toEqualTypeOf<Mood>();
  expectTypeOf<CustomOf<undefined>>().toEqualTypeOf<Json>();
});

test("a definition infers the state from its schema", () => {
  const update = (draft: Mood): void => {
    draft.count += 1;
  };
  expectTypeOf(define({ state: ofZod, update })).toEqualTypeOf<Mood>();
  expectTypeOf(define({ state: ofValibot, update })).toEqualTypeOf<Mood>();
  expectTypeOf(define({ state: ofArktype, update })).toEqualTypeOf<Mood>();
});

test("a mismatch does not compile", () => {
  const wrong = (draft: { mood: number }): void => {
    draft.mood = 1;
  };
  // @ts-expect-error -- the mood is text
  define({ state: ofZod, update: wrong });
  // @ts-expect-error -- the mood is text
  define({ state: ofValibot, update: wrong });
  // @ts-expect-error -- the mood is text
  define({ state: ofArktype, update: wrong });
  // @ts-expect-error -- there is no such member
  define({ state: ofZod, update: (draft) => void (draft.missing = 1) });
  // @ts-expect-error -- updates are synchronous
  define({ state: ofZod, update: async (draft) => void (draft.count = 1) });
  expectTypeOf(ofZod).not.toExtend<StateSchema<{ mood: number }>>();
  // @ts-expect-error -- it is no schema
  define({ state: { mood: "string" }, update: wrong });
});

test("a checked state has the schema's type", () => {
  expectTypeOf(checkCustom(ofZod, {}, "state")).resolves.toEqualTypeOf<Mood | undefined>();
});
