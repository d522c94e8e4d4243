import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { sourceArguments } from "../support/program.ts";
import { kilobytes, rowsIn, took } from "./bounds/finding.ts";
import { judge, tableOf } from "./bounds/judge.ts";
import { UNHURRIED } from "./watched-page.ts";

const COMMAND = sourceArguments(new URL("./run-bounds.ts", import.meta.url));

async function measure(
  ...args: readonly string[]
): Promise<{ readonly code: unknown; readonly out: string }> {
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { code, out };
}

describe("the bounds of the Studio", UNHURRIED, () => {
  test("are told by the median of times, and by the worst of all else", () => {
    const rounds = [
      [9, 3],
      [1, 8],
      [2, 1],
    ].map(([ms = 0, rows = 0]) => [took("opened", ms, 3), rowsIn("rows", rows, 8)]);
    const judged = judge(rounds);
    expect(judged.map(({ value, isMet }) => [value, isMet])).toEqual([
      [2, true],
      // As many as the bound are not below it.
      [8, false],
    ]);
    const [, opened, rows] = tableOf(judged).split("\n");
    expect(opened).toMatch(/opened +< 3 ms +2 ms +9 1 2 +yes/);
    expect(rows).toMatch(/rows +< 8 rows +8 rows +3 8 1 +NO/);
  });

  test("are not met by what could not be measured", () => {
    const [judged] = judge([[kilobytes("sent", Number.NaN, 300)]]);
    expect(judged?.isMet).toBe(false);
  });

  test("are measured by a command in a real browser, whose exit code tells if all are met", async () => {
    const { code, out } = await measure("sizes", "trace", "--json");
    const { rows } = JSON.parse(out) as {
      rows: { what: string; unit: string; isMet: boolean; values: number[] }[];
    };
    expect(code).toBe(rows.every(({ isMet }) => isMet) ? 0 : 1);
    // What takes time depends on who else is at work here; the rest does not.
    const steady = rows.filter(({ unit }) => unit !== "ms");
    expect(steady.map(({ what, isMet }) => [what, isMet])).toEqual([
      ["first load, gzip", true],
      ["all files, gzip", true],
      ["all files, raw", true],
      ["spans, 3,000: the light call", true],
      ["spans, 3,000: rows in the page", true],
    ]);
    expect(steady.map(({ values }) => values.length)).toEqual([1, 1, 1, 3, 3]);
  });

  test("are not guessed at when there is no such name", async () => {
    expect(await measure("nothing")).toEqual({ code: 2, out: "" });
  });
});
