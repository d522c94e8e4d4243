import { type } from "arktype";
import * as valibot from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkCustom, jsonSchemaOf, type StateSchema } from "../../src/agent/state-schema.ts";
import type { Json } from "../../src/protocol/index.ts";

const CANARY = "canary-4711";

type Mood = { mood: string; steps: { count: number }[] };

const SCHEMAS: readonly [string, StateSchema<Mood>][] = [
  ["zod", z.object({ mood: z.string().max(8), steps: z.array(z.object({ count: z.number() })) })],
  [
    "valibot",
    valibot.object({
      mood: valibot.pipe(valibot.string(), valibot.maxLength(8)),
      steps: valibot.array(valibot.object({ count: valibot.number() })),
    }),
  ],
  ["arktype", type({ mood: "string <= 8", steps: type({ count: "number" }).array() })],
];

// A schema by hand, to do what no library does.
function schemaOf<Custom>(
  validate: StateSchema<Custom>["~standard"]["validate"],
): StateSchema<Custom> {
  return { "~standard": { version: 1, vendor: "test", validate } };
}

describe.each(SCHEMAS)("a state with a schema of %s", (_, schema) => {
  test("that fits is given back as it is", async () => {
    const custom = Object.freeze({ mood: "calm", steps: [{ count: 1 }] });
    expect(await checkCustom(schema, custom, "state.custom")).toBe(custom);
  });

  test("that does not fit is refused, naming the places and no value", async () => {
    const custom = { mood: CANARY, steps: [{ count: 1 }, { count: CANARY }] };
    await expect(checkCustom(schema, custom, "init.state.custom")).rejects.toSatisfy((error) => {
      expect(error).toMatchObject({
        status: "INVALID_ARGUMENT",
        message: 'init.state.custom does not fit its schema at "/mood", "/steps/1/count".',
        details: { where: "init.state.custom", paths: ["/mood", "/steps/1/count"] },
      });
      expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain(CANARY);
      return true;
    });
  });

  test("that is something else altogether is refused at its root", async () => {
    for (const custom of [null, 1, CANARY, true]) {
      await expect(checkCustom(schema, custom, "state.custom")).rejects.toThrow(
        "state.custom does not fit its schema at its root.",
      );
    }
  });

  test("that was never set is not checked", async () => {
    expect(await checkCustom(schema, undefined, "state.custom")).toBeUndefined();
  });
});

describe("checking a state", () => {
  test("lets anything pass where there is no schema", async () => {
    const custom = { any: ["thing"] };
    expect(await checkCustom(undefined, custom, "state.custom")).toBe(custom);
  });

  test("fills in what the schema fills in", async () => {
    const schema = z.object({ count: z.number().default(0), name: z.string().trim() });
    expect(await checkCustom(schema, { name: " Ada " }, "state.custom")).toEqual({
      count: 0,
      name: "Ada",
    });
  });

  test("waits for a schema that waits", async () => {
    const schema = z.object({ name: z.string().refine(async (name) => name !== "Eve") });
    expect(await checkCustom(schema, { name: "Ada" }, "state.custom")).toEqual({ name: "Ada" });
    await expect(checkCustom(schema, { name: "Eve" }, "state.custom")).rejects.toThrow('"/name"');
  });

  test("refuses what a schema makes that no store could keep", async () => {
    const schema = z.object({ at: z.string().transform((text) => new Date(text)) });
    await expect(
      checkCustom(schema, { at: "2026-01-01T00:00:00Z" }, "state.custom"),
    ).rejects.toMatchObject({
      status: "INTERNAL",
      message: expect.stringContaining("not plain JSON") as string,
    });
  });

  test("takes paths as keys or as segments, escapes them, and tells only a few", async () => {
    const paths = [["a/b", 0], [{ key: "c~d" }], [Symbol("e")], [], ["a/b", 0]];
    const named = schemaOf(() => ({ issues: paths.map((path) => ({ message: CANARY, path })) }));
    await expect(checkCustom(named, {}, "state.custom")).rejects.toMatchObject({
      details: { paths: ["/a~1b/0", "/c~0d", "/Symbol(e)", ""] },
    });
    const many = Array.from({ length: 50 }, (_, key) => ({ message: "", path: [key] }));
    await expect(
      checkCustom(
        schemaOf(() => ({ issues: many })),
        {},
        "state.custom",
      ),
    ).rejects.toSatisfy((error) => {
      expect((error as { details: { paths: string[] } }).details.paths).toHaveLength(10);
      return true;
    });
  });

  test.each([
    [
      "throws",
      schemaOf(() => {
        throw new Error(CANARY);
      }),
    ],
    ["rejects", schemaOf(() => Promise.reject(new Error(CANARY)))],
    ["is none", {} as StateSchema<Json>],
  ])("blames a schema that %s, and repeats nothing", async (_, schema) => {
    await expect(checkCustom(schema, {}, "state.custom")).rejects.toMatchObject({
      status: "INTERNAL",
      message: "The schema of state.custom failed.",
    });
  });

  test("never takes a reserved member for a way to a prototype", async () => {
    const custom = JSON.parse('{"__proto__":{"polluted":true},"mood":"calm"}') as Json;
    const schema = z.object({ mood: z.string() });
    expect(await checkCustom(schema, custom, "state.custom")).toEqual({ mood: "calm" });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("the JSON Schema of a state", () => {
  test.each([
    ["zod", z.object({ mood: z.string(), count: z.number().default(0) })],
    ["arktype", type({ mood: "string", "count?": "number" })],
  ])("is what %s says", (_, schema) => {
    const described = jsonSchemaOf(schema);
    expect(described).toMatchObject({
      $schema: expect.stringContaining("draft-07") as string,
      type: "object",
      properties: { mood: { type: "string" }, count: { type: "number" } },
      required: ["mood"],
    });
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
  });

  test("is nothing where a library cannot say it", () => {
    expect(jsonSchemaOf(undefined)).toBeUndefined();
    expect(jsonSchemaOf(z.object({ at: z.date() }))).toBeUndefined();
    expect(jsonSchemaOf({} as StateSchema<Json>)).toBeUndefined();
  });
});
