import type { StateSchema } from "../agent/index.ts";
import { type Json, type JsonObject, jsonEqual } from "../protocol/index.ts";

/** As much of JSON Schema as the demo needs: it describes states and tools to people and models, and checks both. */
export interface JsonShape {
  readonly type: "object" | "array" | "string" | "number" | "integer" | "boolean";
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly properties?: Readonly<Record<string, JsonShape>>;
  readonly required?: readonly string[];
  readonly items?: JsonShape;
}

/** A shape as the schema of a state. Yours would come from zod, valibot or arktype; the demo brings no library along. */
export function stateOf<Custom>(shape: JsonShape): StateSchema<Custom> {
  const described = {
    version: 1,
    vendor: "turnkeep-demo",
    validate: (value: unknown) => {
      const path = findMisfit(shape, value);
      return path === undefined
        ? { value: value as Custom }
        : { issues: [{ message: "does not fit", path }] };
    },
    jsonSchema: { input: () => shape },
  } as const;
  return { "~standard": described };
}

/** The path of the first thing that does not fit; `undefined` when all does. */
export function findMisfit(shape: JsonShape, value: unknown): readonly string[] | undefined {
  if (!isOfType(shape.type, value)) return [];
  if (shape.enum && !shape.enum.some((one) => jsonEqual(one, value as Json))) return [];
  if (shape.type === "array") return misfitIn(Object.entries(value as object), () => shape.items);
  if (shape.type !== "object") return undefined;
  const missing = (shape.required ?? []).find((name) => !Object.hasOwn(value as object, name));
  if (missing !== undefined) return [missing];
  return misfitIn(Object.entries(value as JsonObject), (name) => shape.properties?.[name]);
}

function misfitIn(
  entries: readonly (readonly [string, unknown])[],
  shapeOf: (name: string) => JsonShape | undefined,
): readonly string[] | undefined {
  for (const [name, value] of entries) {
    const shape = shapeOf(name);
    const path = shape && findMisfit(shape, value);
    if (path) return [name, ...path];
  }
  return undefined;
}

function isOfType(type: JsonShape["type"], value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object")
    return typeof value === "object" && value !== null && !Array.isArray(value);
  // oxlint-disable-next-line valid-typeof -- the names left over are those of `typeof`.
  return typeof value === type;
}
