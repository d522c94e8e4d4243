import type { Json, JsonObject } from "../protocol/index.ts";

// JSON Schema for libraries that cannot say it themselves. What is not known here becomes a schema that takes anything: it is only for display.

/** A part of a library's schema, as the library keeps it. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** Says a part of a schema in JSON Schema. */
export type Describe = (node: SchemaNode) => JsonObject;

/** How the parts of one library are said, by the library's name for each. */
export type Describers = Readonly<
  Record<string, (node: SchemaNode, describe: Describe) => JsonObject>
>;

export const ANY: JsonObject = {};
export const NULL: JsonObject = { type: "null" };

// More would not be read, and a schema may go on for ever.
const MAX_NODES = 5000;
const MAX_LEVELS = 64;

/** What a library calls a part of a schema, and what its author wrote about it. */
export interface NodeReader {
  readonly nameOf: (node: SchemaNode) => string;
  readonly descriptionOf: (node: SchemaNode) => unknown;
}

/** Describes schemas by the names of their parts. A part inside itself is said to take anything. */
export function describer(describers: Describers, { nameOf, descriptionOf }: NodeReader): Describe {
  return (schema) => {
    const open = new Set<SchemaNode>();
    let nodes = 0;
    const describe: Describe = (node) => {
      nodes += 1;
      const isEndless = open.has(node) || open.size > MAX_LEVELS || nodes > MAX_NODES;
      const name = isEndless ? "" : nameOf(node);
      const own = Object.hasOwn(describers, name) ? describers[name] : undefined;
      if (own === undefined) return ANY;
      open.add(node);
      const described = own(node, describe);
      open.delete(node);
      const description = descriptionOf(node);
      return typeof description === "string" ? { ...described, description } : described;
    };
    return describe(schema);
  };
}

/** An object of members. */
export function objectSchema(
  members: Readonly<Record<string, SchemaNode>>,
  describe: Describe,
  isOptional: (node: SchemaNode) => boolean,
): JsonObject {
  const entries = Object.entries(members);
  const required = entries.filter(([, node]) => !isOptional(node)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, node]) => [name, describe(node)])),
    ...(required.length > 0 && { required }),
  };
}

/** One of several schemas. */
export function anyOf(schemas: readonly JsonObject[]): JsonObject {
  return { anyOf: schemas };
}

/** One of several values. */
export function enumOf(values: Iterable<unknown>): JsonObject {
  return { enum: [...values] as Json[] };
}

/** The schema with a default, where that is no function. */
export function withDefault(schema: JsonObject, value: unknown): JsonObject {
  return value === undefined ? schema : { ...schema, default: value as Json };
}

export function nodeOf(value: unknown): SchemaNode {
  return (typeof value === "object" || typeof value === "function") && value !== null
    ? (value as SchemaNode)
    : {};
}

export function nodesOf(value: unknown): readonly SchemaNode[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}
