import type { ReactElement } from "react";
import { parsePointer, type Json } from "turnkeep/protocol";

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: Json;
}

const WORDS: Readonly<Record<string, string>> = {
  add: "bg-good-wash text-good",
  remove: "bg-bad-wash text-bad",
  replace: "bg-warn-wash text-warn",
};

/** What a patch does, line by line. */
export function PatchList({
  patch,
  before,
}: {
  readonly patch: readonly Operation[];
  /** What it is applied to, for the old values. */
  readonly before: Json;
}): ReactElement {
  return (
    <ul className="flex flex-col gap-1 font-mono text-xs" aria-label="Changes">
      {patch.map((operation, index) => (
        <li key={index} className="flex items-baseline gap-2">
          <span className={`shrink-0 rounded px-1 ${WORDS[operation.op] ?? "bg-sunken"}`}>
            {operation.op}
          </span>
          <span className="shrink-0 text-violet">{operation.path || "(all)"}</span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            {operation.op !== "add" && (
              <span className="text-soft line-through">
                {short(valueAt(before, operation.path))}
              </span>
            )}
            {operation.op === "replace" && " → "}
            {operation.op !== "remove" && short(operation.value)}
          </span>
        </li>
      ))}
    </ul>
  );
}

function short(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const step of parsePointer(path)) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Readonly<Record<string, Json>>)[step];
  }
  return at;
}
