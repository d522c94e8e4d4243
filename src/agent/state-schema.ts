import {
  ANSWER_LIMITS,
  assertJson,
  formatPointer,
  type Json,
  jsonEqual,
  type JsonObject,
  TurnkeepError,
} from "../protocol/index.ts";
import type { StandardIssue, StandardResult, StandardSchema } from "./standard-schema.ts";
import { valibotJsonSchema } from "./valibot-json-schema.ts";
import { zod3JsonSchema } from "./zod3-json-schema.ts";

/** The shape of a custom state, by any library that speaks Standard Schema: zod, valibot, arktype and others. */
export type StateSchema<Custom, Input = unknown> = StandardSchema<Custom, Input>;

/** What the custom state of a schema is; any JSON where there is no schema. */
export type CustomOf<Schema extends StateSchema<unknown> | undefined> =
  Schema extends StateSchema<infer Custom> ? Custom : Json;

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const MOST_PATHS = 10;
const LONGEST_PATH = 200;

/**
 * The custom state as its schema reads it: with defaults filled in and whatever else the schema changes. The very same
 * value when it changes nothing. A state that was never set is not checked.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the value does not fit, naming the places and no values; INTERNAL when the
 *   schema itself fails.
 */
export async function checkCustom<Custom>(
  schema: StateSchema<Custom> | undefined,
  value: Json | undefined,
  where: string,
): Promise<Custom | undefined> {
  if (schema === undefined || value === undefined) return value as Custom | undefined;
  return fitted(await validate(schema, value, where), value, where);
}

/**
 * Like `checkCustom`, where the schema is synchronous. What an asynchronous one would say is not known: it passes.
 *
 * @throws TurnkeepError like `checkCustom`.
 */
export function checkCustomNow<Custom>(
  schema: StateSchema<Custom>,
  value: Json,
  where: string,
): void {
  const result = validate(schema, value, where);
  if (result instanceof Promise) result.catch(() => {});
  else fitted(result, value, where);
}

function fitted<Custom>(
  result: StandardResult<Custom>,
  value: Json,
  where: string,
): Custom | undefined {
  if (result.issues !== undefined) throw misfit(result.issues, where);
  const parsed = asJson(result.value, where);
  return (jsonEqual(parsed, value) ? value : parsed) as Custom | undefined;
}

/** The schema as JSON Schema (draft 7): as its library says it, or as far as it is understood here. */
export function jsonSchemaOf(schema: StateSchema<unknown> | undefined): JsonObject | undefined {
  try {
    const described = schema && (ownJsonSchema(schema) ?? knownJsonSchema(schema));
    // A copy, since libraries hang functions and links to the schema on it.
    return described && (JSON.parse(JSON.stringify(described)) as JsonObject);
  } catch {
    // Not every schema can be said in JSON Schema, and it is only for display.
    return undefined;
  }
}

function ownJsonSchema(schema: StateSchema<unknown>): object | undefined {
  return (schema as Describing)["~standard"].jsonSchema?.input({ target: "draft-07" });
}

function knownJsonSchema(schema: StateSchema<unknown>): JsonObject | undefined {
  const described = zod3JsonSchema(schema) ?? valibotJsonSchema(schema);
  return described && { $schema: DRAFT_07, ...described };
}

/** What a schema makes of a value: `undefined` when it refuses it, a promise when it is asynchronous. */
export function tryValue<Custom>(
  schema: StateSchema<Custom>,
  value: Json | undefined,
): Fitting | Promise<Fitting> {
  try {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then(fittingOf, () => undefined) : fittingOf(result);
  } catch {
    // A schema that cannot take the value does not fit it.
    return undefined;
  }
}

/** What fits a schema, as the schema puts it out. */
type Fitting = { readonly value: Json | undefined } | undefined;

function fittingOf<Custom>(result: StandardResult<Custom>): Fitting {
  if (result.issues !== undefined) return undefined;
  return { value: asJson(result.value, "state.custom") };
}

type Describing = {
  readonly "~standard": {
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => object };
  };
};

function validate<Custom>(
  schema: StateSchema<Custom>,
  value: Json,
  where: string,
): StandardResult<Custom> | Promise<StandardResult<Custom>> {
  const fail = (cause: unknown): never => {
    throw new TurnkeepError("INTERNAL", `The schema of ${where} failed.`, { cause });
  };
  try {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

// The messages of some libraries repeat the value, which may be secret: only the places are told.
function misfit(issues: readonly StandardIssue[], where: string): TurnkeepError {
  const paths = [...new Set(issues.map(pathOf))].slice(0, MOST_PATHS);
  const places = paths.map((path) => (path === "" ? "its root" : `"${path}"`)).join(", ");
  return new TurnkeepError("INVALID_ARGUMENT", `${where} does not fit its schema at ${places}.`, {
    details: { where, paths },
  });
}

function pathOf({ path = [] }: StandardIssue): string {
  // `Array.from`, since a library may pass a list of its own kind, whose `map` makes another of them.
  const keys = Array.from(path, (step) => String(typeof step === "object" ? step.key : step));
  return formatPointer(keys).slice(0, LONGEST_PATH);
}

function asJson(value: unknown, where: string): Json | undefined {
  if (value === undefined) return undefined;
  try {
    assertJson(value, ANSWER_LIMITS);
    return value;
  } catch (error) {
    throw new TurnkeepError(
      "INTERNAL",
      `The schema of ${where} makes something of it that is not plain JSON, and so cannot be kept.`,
      { cause: error },
    );
  }
}
