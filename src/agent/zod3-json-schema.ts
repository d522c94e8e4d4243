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

/** A schema of zod 3, such as Genkit's own `z`, as JSON Schema; `undefined` for any other. */
export function zod3JsonSchema(schema: unknown): JsonObject | undefined {
  const node = nodeOf(schema);
  return typeNameOf(node) === "" ? undefined : describe(node);
}

function defOf(node: SchemaNode): SchemaNode {
  return nodeOf(node["_def"]);
}

function typeNameOf(node: SchemaNode): string {
  const { typeName } = defOf(node);
  return typeof typeName === "string" ? typeName : "";
}

// What stands around another schema and changes nothing of what it takes in.
const WRAPPERS: Readonly<Record<string, string>> = {
  ZodOptional: "innerType",
  ZodDefault: "innerType",
  ZodCatch: "innerType",
  ZodReadonly: "innerType",
  ZodBranded: "type",
  ZodEffects: "schema",
  ZodPipeline: "in",
};

function isOptional(node: SchemaNode): boolean {
  const name = typeNameOf(node);
  if (name === "ZodOptional" || name === "ZodDefault") return true;
  const inner = WRAPPERS[name];
  return inner !== undefined && isOptional(nodeOf(defOf(node)[inner]));
}

const CHECKS: Readonly<Record<string, (value: Json) => JsonObject>> = {
  int: () => ({ type: "integer" }),
  email: () => ({ format: "email" }),
  url: () => ({ format: "uri" }),
  uuid: () => ({ format: "uuid" }),
  datetime: () => ({ format: "date-time" }),
};

function checked({ checks }: SchemaNode, type: "string" | "number"): JsonObject {
  const [min, max] = type === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
  const said = nodesOf(checks).map(({ kind, value, inclusive = true }): JsonObject => {
    const bound = kind === "min" ? min : kind === "max" ? max : undefined;
    if (bound !== undefined && inclusive === true) return { [bound]: value as Json };
    return CHECKS[String(kind)]?.(value as Json) ?? ANY;
  });
  return Object.assign({ type }, ...said) as JsonObject;
}

const inner =
  (member: string): Describers[string] =>
  (node, sub) =>
    sub(nodeOf(defOf(node)[member]));

const DESCRIBERS: Describers = {
  ...Object.fromEntries(Object.entries(WRAPPERS).map(([name, member]) => [name, inner(member)])),
  ZodString: (node) => checked(defOf(node), "string"),
  ZodNumber: (node) => checked(defOf(node), "number"),
  ZodBoolean: () => ({ type: "boolean" }),
  ZodNull: () => NULL,
  ZodLiteral: (node) => ({ const: defOf(node)["value"] as Json }),
  ZodEnum: (node) => enumOf(defOf(node)["values"] as readonly string[]),
  ZodNativeEnum: (node) => enumOf(enumValues(nodeOf(defOf(node)["values"]))),
  ZodNullable: (node, sub) => anyOf([sub(nodeOf(defOf(node)["innerType"])), NULL]),
  ZodDefault: (node, sub) => {
    const { innerType, defaultValue } = defOf(node);
    const value =
      typeof defaultValue === "function" ? (defaultValue as () => unknown)() : undefined;
    return withDefault(sub(nodeOf(innerType)), value);
  },
  ZodUnion: (node, sub) => anyOf(nodesOf(defOf(node)["options"]).map(sub)),
  ZodDiscriminatedUnion: (node, sub) => anyOf(optionsOf(defOf(node)["options"]).map(sub)),
  ZodIntersection: (node, sub) => ({
    allOf: [sub(nodeOf(defOf(node)["left"])), sub(nodeOf(defOf(node)["right"]))],
  }),
  ZodArray: (node, sub) => ({ type: "array", items: sub(nodeOf(defOf(node)["type"])) }),
  ZodTuple: (node, sub) => {
    const items = nodesOf(defOf(node)["items"]).map(sub);
    return { type: "array", items, minItems: items.length };
  },
  ZodRecord: (node, sub) => ({
    type: "object",
    additionalProperties: sub(nodeOf(defOf(node)["valueType"])),
  }),
  ZodObject: (node, sub) => {
    const { shape, unknownKeys } = defOf(node);
    const members = (shape as () => Record<string, SchemaNode>)();
    const described = objectSchema(members, sub, isOptional);
    return unknownKeys === "strict" ? { ...described, additionalProperties: false } : described;
  },
  ZodLazy: (node, sub) => sub(nodeOf((defOf(node)["getter"] as () => unknown)())),
};

const describe = describer(DESCRIBERS, {
  nameOf: typeNameOf,
  descriptionOf: (node) => defOf(node)["description"],
});

// An enum of numbers has its names among its values.
function enumValues(values: SchemaNode): readonly unknown[] {
  return Object.entries(values)
    .filter(([name]) => typeof values[String(values[name])] !== "number")
    .map(([, value]) => value);
}

function optionsOf(options: unknown): readonly SchemaNode[] {
  return options instanceof Map ? [...options.values()].map(nodeOf) : nodesOf(options);
}
