import { Validator } from "@cfworker/json-schema";
import { type } from "arktype";
import { z as genkitZ } from "genkit";
import { defineCustomAgent } from "turnkeep";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { jsonSchemaOf, type StateSchema } from "../../src/agent/state-schema.ts";

/** One shape, said by each library. */
const SHAPES: readonly (readonly [string, StateSchema<unknown>])[] = [
  [
    "zod 3",
    z3.object({
      mood: z3.enum(["calm", "merry"]).describe("How it is."),
      count: z3.number().int().min(0).default(0),
      note: z3.string().max(5).optional(),
      owner: z3.union([z3.string(), z3.null()]),
      steps: z3.array(z3.object({ done: z3.boolean() })),
      scores: z3.record(z3.number()),
      kind: z3.literal("trip"),
    }),
  ],
  [
    "Genkit's own z",
    genkitZ.object({
      mood: genkitZ.enum(["calm", "merry"]).describe("How it is."),
      count: genkitZ.number().int().min(0).default(0),
      note: genkitZ.string().max(5).optional(),
      owner: genkitZ.string().nullable(),
      steps: genkitZ.array(genkitZ.object({ done: genkitZ.boolean() })),
      scores: genkitZ.record(genkitZ.number()),
      kind: genkitZ.literal("trip"),
    }),
  ],
  [
    "zod 4",
    z.object({
      mood: z.enum(["calm", "merry"]).describe("How it is."),
      count: z.number().int().min(0).default(0),
      note: z.string().max(5).optional(),
      owner: z.string().nullable(),
      steps: z.array(z.object({ done: z.boolean() })),
      scores: z.record(z.string(), z.number()),
      kind: z.literal("trip"),
    }),
  ],
  [
    "valibot",
    v.object({
      mood: v.pipe(v.picklist(["calm", "merry"]), v.description("How it is.")),
      count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
      note: v.optional(v.pipe(v.string(), v.maxLength(5))),
      owner: v.nullable(v.string()),
      steps: v.array(v.object({ done: v.boolean() })),
      scores: v.record(v.string(), v.number()),
      kind: v.literal("trip"),
    }),
  ],
  [
    "arktype",
    type({
      mood: "'calm' | 'merry'",
      "count?": "number.integer >= 0",
      "note?": "string <= 5",
      owner: "string | null",
      steps: type({ done: "boolean" }).array(),
      scores: "Record<string, number>",
      kind: "'trip'",
    }),
  ],
];

const GOOD = {
  mood: "calm",
  count: 1,
  note: "hi",
  owner: null,
  steps: [{ done: true }],
  scores: { a: 1 },
  kind: "trip",
};

const VALUES: readonly unknown[] = [
  GOOD,
  { ...GOOD, owner: "ada" },
  without("count"),
  without("note"),
  without("mood"),
  without("steps"),
  without("owner"),
  { ...GOOD, mood: "sad" },
  { ...GOOD, count: -1 },
  { ...GOOD, count: 0.5 },
  { ...GOOD, count: "1" },
  { ...GOOD, note: "too long" },
  { ...GOOD, owner: 5 },
  { ...GOOD, steps: [{}] },
  { ...GOOD, steps: {} },
  { ...GOOD, scores: { a: "1" } },
  { ...GOOD, kind: "walk" },
  null,
  "text",
  [],
];

describe.each(SHAPES)("the JSON Schema of a state by %s", (_, state) => {
  test("is what the agent says of itself", () => {
    const agent = defineCustomAgent({ name: "a", state, initialState: GOOD }, () => {});
    expect(agent.metadata.stateSchema).toMatchObject({
      $schema: expect.stringContaining("draft-07") as string,
      type: "object",
      properties: { steps: { type: "array" } },
    });
  });

  test("takes and refuses what the schema does", async () => {
    const validator = new Validator(jsonSchemaOf(state) as never, "7");
    for (const value of VALUES) {
      const { issues } = await state["~standard"].validate(value);
      expect(validator.validate(value).valid, JSON.stringify(value)).toBe(issues === undefined);
    }
  });
});

test.each(SHAPES.filter(([library]) => library !== "arktype"))(
  "descriptions and defaults of %s are in it",
  (_, state) => {
    const { mood, count } = (jsonSchemaOf(state)?.["properties"] ?? {}) as never as Record<
      string,
      object
    >;
    expect(mood).toMatchObject({ description: "How it is." });
    expect(count).toMatchObject({ default: 0 });
  },
);

const recursive: z3.ZodTypeAny = z3.lazy(() => z3.object({ next: recursive.optional() }));
function freshly(): z3.ZodTypeAny {
  return z3.object({ a: z3.lazy(freshly), b: z3.lazy(freshly), c: z3.lazy(freshly) });
}

const endless: v.GenericSchema = v.object({ next: v.optional(v.lazy(() => endless)) });

test.each<[string, StateSchema<unknown>, object]>([
  ["a tuple", z3.tuple([z3.string(), z3.number()]), { minItems: 2 }],
  ["a tuple of valibot", v.tuple([v.string(), v.number()]), { minItems: 2 }],
  ["a strict object", z3.object({}).strict(), { additionalProperties: false }],
  ["a strict object of valibot", v.strictObject({}), { additionalProperties: false }],
  ["a refined object", z3.object({ a: z3.string() }).refine(() => true), { required: ["a"] }],
  ["an intersection", z3.object({}).and(z3.object({})), { allOf: [{}, {}] }],
  ["an intersection of valibot", v.intersect([v.object({}), v.object({})]), { allOf: [{}, {}] }],
  [
    "a discriminated union",
    z3.discriminatedUnion("t", [z3.object({ t: z3.literal("a") })]),
    { anyOf: [{ properties: { t: { const: "a" } } }] },
  ],
  [
    "a variant of valibot",
    v.variant("t", [v.object({ t: v.literal("a") })]),
    { anyOf: [{ properties: { t: { const: "a" } } }] },
  ],
  ["a native enum", z3.nativeEnum({ A: 1, B: 2, 1: "A", 2: "B" } as const), { enum: [1, 2] }],
  ["something inside itself", recursive, { type: "object" }],
  ["something inside itself, of valibot", endless, { type: "object" }],
  ["something that is made anew for ever", freshly(), { type: "object" }],
  ["something unknown", z3.map(z3.string(), z3.string()), {}],
  ["something unknown of valibot", v.custom(() => true), {}],
])("%s is described, and never throws", (_, schema, expected) => {
  expect(jsonSchemaOf(schema)).toMatchObject(expected);
});

test("a schema that throws when it is looked at has no JSON Schema", () => {
  const hostile = {
    "~standard": { version: 1, vendor: "valibot", validate: () => ({ value: 1 }) },
  };
  const schema = Object.defineProperty(hostile, "type", {
    get: () => {
      throw new Error("no");
    },
  }) as unknown as StateSchema<number>;
  expect(jsonSchemaOf(schema)).toBeUndefined();
});

function without(member: keyof typeof GOOD): object {
  const { [member]: _, ...rest } = GOOD;
  return rest;
}
