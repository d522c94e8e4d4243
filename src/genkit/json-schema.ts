import { toJsonSchema } from "genkit/schema";
import { type JsonObject, TurnkeepError } from "../protocol/index.ts";

/** A schema of values, by any library that speaks Standard Schema, zod 3 and 4 among them. Values are checked as they are, and not transformed. */
export interface AnySchema<Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: Value; readonly output: unknown } | undefined;
  };
}

/**
 * The schema as Genkit takes it. Genkit itself turns anything but zod 3 into a schema that allows everything, and says nothing.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the schema's library cannot say it as JSON Schema.
 */
export function jsonSchemaOf(schema: object, where: string): JsonObject {
  try {
    const described = isZod3(schema) ? toJsonSchema({ schema: schema as never }) : describe(schema);
    // A copy, since libraries hang functions and links to the schema on it.
    if (described) return JSON.parse(JSON.stringify(described)) as JsonObject;
  } catch (cause) {
    throw notDescribable(where, cause);
  }
  throw notDescribable(where);
}

/** Whether Genkit would make nothing of a schema that it is given as it is. */
export function isLostOnGenkit(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && !isZod3(schema);
}

function isZod3(schema: object): boolean {
  const definition = (schema as { readonly _def?: { readonly typeName?: unknown } })._def;
  return typeof definition?.typeName === "string";
}

function describe(schema: object): object | undefined {
  const standard = (schema as Describing)["~standard"];
  return standard?.jsonSchema?.input({ target: "draft-07" });
}

type Describing = {
  readonly "~standard"?: {
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => object };
  };
};

function notDescribable(where: string, cause?: unknown): TurnkeepError {
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `${where} cannot be turned into JSON Schema, which models are told shapes in. Use zod, or give it as 'jsonSchema'.`,
    cause === undefined ? {} : { cause },
  );
}
