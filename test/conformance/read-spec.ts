import { parse } from "yaml";
import { isSpecAgent } from "./spec-agents.ts";
import { checkCase, type CheckedCase } from "./spec-format.ts";

/** A case as a spec file lists it. One that cannot be run counts as failed; the others are run all the same. */
export type ListedCase = { readonly name: string } & CheckedCase;

/**
 * The cases of a spec file.
 *
 * @throws Error when it is no such file or has no cases: nothing was checked then, which must not look like success.
 */
export function readSpec(text: string): readonly ListedCase[] {
  // Merge keys are YAML 1.1, which harnesses in other languages read.
  const file: unknown = parse(text, { merge: true });
  if (!isRecord(file) || !Array.isArray(file["tests"])) {
    throw new Error('A spec file has a list of cases under "tests".');
  }
  const unknownKeys = Object.keys(file).filter((key) => key !== "tests");
  if (unknownKeys.length > 0) throw new Error(`Unknown in a spec file: ${unknownKeys.join(", ")}.`);
  if (file["tests"].length === 0) throw new Error("There are no cases in the spec file.");
  return file["tests"].map((value: unknown, index) => ({
    name: nameOf(value) ?? `case ${index + 1}`,
    ...withKnownAgent(checkCase(value)),
  }));
}

function withKnownAgent(checked: CheckedCase): CheckedCase {
  if ("mistakes" in checked || isSpecAgent(checked.spec.agent)) return checked;
  return { mistakes: [`agent: Unknown agent: ${JSON.stringify(checked.spec.agent)}`] };
}

function nameOf(value: unknown): string | undefined {
  const name = isRecord(value) ? value["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
