import type { Json, JsonObject } from "turnkeep/protocol";

/** One line of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly kind: "text" | "number" | "boolean" | "choice";
  readonly choices: readonly Json[];
  readonly isRequired: boolean;
  readonly description: string;
}

/** The lines of a form for this schema; `undefined` when it has members that no line can hold. */
export function fieldsOf(schema: JsonObject | undefined): readonly FormField[] | undefined {
  const properties = schema?.["properties"];
  if (schema?.["type"] !== "object" || !isObject(properties)) return undefined;
  const required = schema["required"];
  const needed: readonly Json[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, about]): FormField | undefined => {
    const kind = isObject(about) ? kindOf(about) : undefined;
    if (!isObject(about) || kind === undefined) return undefined;
    const { title, description, enum: choices } = about;
    return {
      name,
      kind,
      label: typeof title === "string" ? title : name,
      description: typeof description === "string" ? description : "",
      choices: Array.isArray(choices) ? choices : [],
      isRequired: needed.includes(name),
    };
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

/** What an empty form says. */
export function initialOf(schema: JsonObject | undefined): Json {
  return schema?.["type"] === "object" ? {} : null;
}

function kindOf({ type, enum: choices }: JsonObject): FormField["kind"] | undefined {
  if (Array.isArray(choices)) return "choice";
  if (type === "boolean") return "boolean";
  if (type === "string") return "text";
  return type === "number" || type === "integer" ? "number" : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
