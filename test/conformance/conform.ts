import { readFile } from "node:fs/promises";
import { playCase } from "./play-case.ts";
import { type ListedCase, readSpec } from "./read-spec.ts";
import type { CreatePlace } from "./stage.ts";

export interface ConformOptions {
  /** The path of a spec file. */
  readonly file: string;
  readonly createPlace: CreatePlace;
  readonly print: (line: string) => void;
}

/** Runs every case of a spec file, one line for each, and ends with the counts alone on a line. Says whether all passed. */
export async function conform({ file, createPlace, print }: ConformOptions): Promise<boolean> {
  let passed = 0;
  let failed = 0;
  try {
    for (const listed of readSpec(await readFile(file, "utf8"))) {
      const wrong = await playCase(listed, createPlace);
      if (wrong.length === 0) passed += 1;
      else failed += 1;
      print(lineOf(listed, wrong));
    }
  } catch (error) {
    // Nothing could be checked: that must not read as a run without failures.
    failed += 1;
    print(`FAILED  ${file}: ${oneLine(String(error))}`);
  }
  print(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

function lineOf({ name }: ListedCase, wrong: readonly string[]): string {
  return wrong.length === 0 ? `ok      ${name}` : `FAILED  ${name}: ${oneLine(wrong.join("; "))}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
