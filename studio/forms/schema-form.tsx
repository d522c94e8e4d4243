import { Validator } from "@cfworker/json-schema";
import { type FormEvent, type ReactElement, useState } from "react";
import type { Json, JsonObject } from "turnkeep/protocol";
import { JsonEditor } from "../code/json-editor.tsx";
import { Button } from "../ui/button.tsx";
import { fieldsOf, type FormField, initialOf } from "./form-fields.ts";

/** A form for values of a schema; JSON for those who prefer it, and for schemas that no form can draw. */
export function SchemaForm({
  schema,
  initial,
  jsonLabel = "Answer as JSON",
  submitLabel,
  onSubmit,
}: {
  readonly schema: JsonObject | undefined;
  readonly initial: Json | undefined;
  readonly jsonLabel?: string;
  readonly submitLabel: string;
  readonly onSubmit: (value: Json) => void;
}): ReactElement {
  const fields = fieldsOf(schema);
  const [isForm, setIsForm] = useState(fields !== undefined);
  const [value, setValue] = useState<Json>(() => initial ?? initialOf(schema));
  const [text, setText] = useState(() => JSON.stringify(initial ?? initialOf(schema), null, 2));
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = isForm ? value : parse(text);
    const found = given === undefined ? new Map([["", "This is no JSON."]]) : check(schema, given);
    setProblems(found);
    if (found.size === 0 && given !== undefined) onSubmit(given);
  };
  const swap = (): void => {
    const parsed = parse(text);
    if (isForm) setText(JSON.stringify(value, null, 2));
    else if (parsed !== undefined) setValue(parsed);
    setIsForm(!isForm);
    setProblems(new Map());
  };
  const shown = isForm ? fields : undefined;
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      {shown ? (
        shown.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={memberOf(value, field.name)}
            problem={problems.get(`/${field.name}`)}
            onChange={(member) => setValue(withMember(value, field.name, member))}
          />
        ))
      ) : (
        <JsonEditor label={jsonLabel} value={text} onChange={setText} />
      )}
      {[...problems]
        .filter(([path]) => !shown?.some(({ name }) => path === `/${name}`))
        .map(([path, problem]) => (
          <p key={path} role="alert" className="text-bad">
            {path} {problem}
          </p>
        ))}
      <div className="flex items-center gap-2">
        <Button type="submit" look="primary">
          {submitLabel}
        </Button>
        {fields && (
          <Button look="quiet" onClick={swap}>
            {isForm ? "As JSON" : "As a form"}
          </Button>
        )}
      </div>
    </form>
  );
}

function Field({
  field: { label, kind, choices, isRequired, description },
  value,
  problem,
  onChange,
}: {
  readonly field: FormField;
  readonly value: Json | undefined;
  readonly problem: string | undefined;
  readonly onChange: (value: Json | undefined) => void;
}): ReactElement {
  const look = "h-8 rounded-md border border-line-strong bg-canvas px-2";
  return (
    <label className="flex flex-col gap-1">
      <span className="font-medium">
        {label} {!isRequired && <span className="font-normal text-faint">(optional)</span>}
      </span>
      {kind === "boolean" && (
        <select
          aria-label={label}
          className={look}
          value={textOf(value)}
          onChange={({ target }) =>
            onChange(target.value === "" ? undefined : target.value === "true")
          }
        >
          <option value="">–</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      )}
      {kind === "choice" && (
        <select
          aria-label={label}
          className={look}
          value={value === undefined ? "" : JSON.stringify(value)}
          onChange={({ target }) =>
            onChange(target.value === "" ? undefined : (JSON.parse(target.value) as Json))
          }
        >
          <option value="">–</option>
          {choices.map((choice) => (
            <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
              {textOf(choice)}
            </option>
          ))}
        </select>
      )}
      {(kind === "text" || kind === "number") && (
        <input
          aria-label={label}
          className={look}
          type={kind}
          step="any"
          value={textOf(value)}
          onChange={({ target }) => onChange(readInput(kind, target.value))}
        />
      )}
      {description !== "" && <span className="text-xs text-faint">{description}</span>}
      {problem !== undefined && (
        <span role="alert" className="text-bad">
          {problem}
        </span>
      )}
    </label>
  );
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function readInput(kind: "text" | "number", text: string): Json | undefined {
  if (text === "") return undefined;
  return kind === "number" ? Number(text) : text;
}

function check(schema: JsonObject | undefined, value: Json): ReadonlyMap<string, string> {
  if (schema === undefined) return new Map();
  const { errors } = new Validator(schema, "2020-12", false).validate(value);
  const problems = new Map<string, string>();
  for (const { instanceLocation, error, keyword } of errors) {
    const missing = keyword === "required" ? /"([^"]+)"/.exec(error)?.[1] : undefined;
    const path = missing === undefined ? instanceLocation.slice(1) : `/${missing}`;
    const isWhole = path === "" && keyword !== "type";
    if (!isWhole) problems.set(path, missing === undefined ? error : "This is needed.");
  }
  return problems;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function memberOf(value: Json, name: string): Json | undefined {
  return (value as JsonObject | null)?.[name];
}

function withMember(value: Json, name: string, member: Json | undefined): Json {
  const { [name]: _, ...rest } = (value ?? {}) as JsonObject;
  return member === undefined ? rest : { ...rest, [name]: member };
}
