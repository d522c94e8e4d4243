import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Answered } from "../http/serving.ts";

const FOLDER = process.env["TURNKEEP_DOCUMENTS"] ?? resolve("../shared/seeds");

/** The RFC of the reflection API; it stands beside the repository, where there is one. */
export const DOCUMENT: string | undefined = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.startsWith("004"))
      .map((name) => readFileSync(join(FOLDER, name), "utf8"))[0]
  : undefined;

/** The JSON examples of one endpoint, by its letter. What the document leaves out is empty. */
export function examplesOf(letter: string): readonly Answered[] {
  return blocksOf(letter, "json").map((text) => JSON.parse(filledIn(text)) as unknown);
}

/** The events of the streaming example, in order. */
export function eventsOf(letter: string): readonly { event: string; data: Answered }[] {
  const [stream = ""] = blocksOf(letter, "");
  return stream
    .trim()
    .split(/\n\s*\n/)
    .map((frame) => {
      const [, event = "", data = "null"] = /event: (\w+)\s*\ndata: (.*)/.exec(frame) ?? [];
      return { event, data: JSON.parse(filledIn(data)) as unknown };
    });
}

function blocksOf(letter: string, language: string): readonly string[] {
  const section = DOCUMENT?.split(/^#### /m).find((part) => part.startsWith(`${letter}. `)) ?? "";
  return [...section.matchAll(/^```(\w*)\n(.*?)^```/gms)]
    .filter(([, found]) => found === language)
    .map(([, , text = ""]) => text);
}

function filledIn(text: string): string {
  return text.replaceAll("[...]", "[]").replaceAll("{...}", "{}");
}

/** Where a value lacks what an example has, or has it of another kind. Free data is not looked into. */
export function differences(example: unknown, value: unknown, at = ""): readonly string[] {
  if (kindOf(example) !== kindOf(value)) {
    return [`${at}: ${kindOf(value)} instead of ${kindOf(example)}`];
  }
  if (Array.isArray(example)) {
    return example.length === 0 ? [] : differences(example[0], (value as unknown[])[0], `${at}/0`);
  }
  if (kindOf(example) !== "object" || at.endsWith("/metadata")) return [];
  return Object.entries(example as object).flatMap(([name, member]) =>
    differences(member, (value as Record<string, unknown>)[name], `${at}/${name}`),
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
