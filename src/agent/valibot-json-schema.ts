import type { Json, JsonObject } from "../protocol/index.ts";
import {
  ANY,
  anyOf,
  describer,
  type Describers,
  enumOf,
  NULL,
  nodeOf,
  nodesOf,
  objectSchema,
  type SchemaNode,
  withDefault,
} from "./schema-nodes.ts";

/** A schema of valibot as JSON Schema; `undefined` for any other. */
export function valibotJsonSchema(schema: unknown): JsonObject | undefined {
  const node = nodeOf(schema);
  return nodeOf(node["~standard"])["vendor"] === "valibot" ? describe(node) : undefined;
}

const OPTIONAL = ["optional", "exact_optional", "nullish", "undefinedable"];

function isOptional({ type }: SchemaNode): boolean {
  return OPTIONAL.includes(String(type));
}

const ACTIONS: Readonly<Record<string, (requirement: Json) => JsonObject>> = {
  min_length: (minLength) => ({ minLength }),
  max_length: (maxLength) => ({ maxLength }),
  min_value: (minimum) => ({ minimum }),
  max_value: (maximum) => ({ maximum }),
  integer: () => ({ type: "integer" }),
  email: () => ({ format: "email" }),
  url: () => ({ format: "uri" }),
  uuid: () => ({ format: "uuid" }),
  iso_timestamp: () => ({ format: "date-time" }),
};

function checked({ pipe }: SchemaNode, type: "string" | "number"): JsonObject {
  const said = nodesOf(pipe).map(({ kind, type: name, requirement }) =>
    kind === "validation" ? (ACTIONS[String(name)]?.(requirement as Json) ?? ANY) : ANY,
  );
  return Object.assign({ type }, ...said) as JsonObject;
}

const wrapped: Describers[string] = (node, sub) =>
  withDefault(sub(nodeOf(node["wrapped"])), valueOf(node["default"]));

const nullable: Describers[string] = (node, sub) =>
  withDefault(anyOf([sub(nodeOf(node["wrapped"])), NULL]), valueOf(node["default"]));

const object: Describers[string] = (node, sub) =>
  objectSchema(node["entries"] as Record<string, SchemaNode>, sub, isOptional);

const options: Describers[string] = (node, sub) => anyOf(nodesOf(node["options"]).map(sub));

const values: Describers[string] = (node) => enumOf(node["options"] as readonly unknown[]);

const tuple: Describers[string] = (node, sub) => {
  const items = nodesOf(node["items"]).map(sub);
  return { type: "array", items, minItems: items.length };
};

const DESCRIBERS: Describers = {
  string: (node) => checked(node, "string"),
  number: (node) => checked(node, "number"),
  boolean: () => ({ type: "boolean" }),
  null: () => NULL,
  literal: ({ literal }) => ({ const: literal as Json }),
  picklist: values,
  enum: values,
  optional: wrapped,
  exact_optional: wrapped,
  undefinedable: wrapped,
  non_optional: wrapped,
  nullable,
  nullish: nullable,
  union: options,
  variant: options,
  intersect: (node, sub) => ({ allOf: nodesOf(node["options"]).map(sub) }),
  array: (node, sub) => ({ type: "array", items: sub(nodeOf(node["item"])) }),
  tuple,
  strict_tuple: tuple,
  loose_tuple: tuple,
  tuple_with_rest: tuple,
  record: (node, sub) => ({ type: "object", additionalProperties: sub(nodeOf(node["value"])) }),
  object,
  loose_object: object,
  strict_object: (node, sub) => ({ ...object(node, sub), additionalProperties: false }),
  object_with_rest: (node, sub) => ({
    ...object(node, sub),
    additionalProperties: sub(nodeOf(node["rest"])),
  }),
  lazy: ({ getter }, sub) => sub(nodeOf((getter as () => unknown)())),
};

const describe = describer(DESCRIBERS, {
  nameOf: ({ type }) => String(type),
  descriptionOf: ({ pipe }) =>
    nodesOf(pipe).findLast(({ type }) => type === "description")?.["description"],
});

function valueOf(value: unknown): unknown {
  return typeof value === "function" ? (value as () => unknown)() : value;
}
