import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { Captures } from "./captures.ts";
import { memoryPlace } from "../support/places/memory-place.ts";
import { argumentsFor } from "../support/program.ts";
import { conform } from "./conform.ts";

const folder = mkdtempSync(join(tmpdir(), "turnkeep-harness-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A step that passes. */
const hello = {
  type: "send",
  inputs: [{ message: { role: "user", content: [{ text: "hi" }] } }],
  modelResponses: [
    { message: { role: "model", content: [{ text: "hello" }] }, finishReason: "stop" },
  ],
};

describe("a run of cases", () => {
  it("says of each whether it passed, and counts them at the end", async () => {
    const wrong = { ...hello, expectOutput: { finishReason: "length" } };
    const { lines, passed } = await run([
      one(hello, "good"),
      one(wrong, "bad"),
      one(hello, "fine"),
    ]);
    expect(lines).toEqual([
      "ok      good",
      'FAILED  bad: steps[0] (send) expectOutput.finishReason: expected "length", got "stop"',
      "ok      fine",
      "2 passed, 1 failed",
    ]);
    expect(passed).toBe(false);
  });

  it("passes when all cases do", async () => {
    expect(await run([one(hello)])).toEqual({
      lines: ["ok      a case", "1 passed, 0 failed"],
      passed: true,
    });
  });

  it.each<[string, object, RegExp]>([
    [
      "another message",
      { ...hello, expectOutput: { message: { content: [{ text: "bye" }] } } },
      /expectOutput\.message\.content\[0\]\.text: expected "bye", got "hello"/,
    ],
    [
      "a chunk too many",
      { ...hello, expectChunks: [] },
      /expectChunks: expected \[\], got \[\{"turnEnd":\{.*"finishReason":"stop".*\}\}\]/,
    ],
    [
      "an error that does not come",
      { ...hello, expectError: { status: "NOT_FOUND" } },
      /expectError: expected \{"status":"NOT_FOUND"\}, got "no error"/,
    ],
    [
      "an error that nobody expects",
      { ...hello, init: { state: {} } },
      /error: expected nothing, got \{"status":"FAILED_PRECONDITION","message":"Cannot send 'state'/,
    ],
    [
      "something to capture that is not there",
      { ...hello, captureState: "state" },
      /captureState: expected "something to keep as state", got nothing/,
    ],
    [
      "a name under which nothing was captured",
      { ...hello, init: { snapshotId: "{{earlier}}" } },
      /Nothing was captured as "earlier"/,
    ],
    [
      "a status before an abort",
      { type: "abort", snapshotId: "none", expectPreviousStatus: "pending" },
      /expectPreviousStatus: expected "pending", got nothing/,
    ],
    [
      "a snapshot that is not there",
      { type: "getSnapshotData", snapshotId: "none", expectSnapshot: { status: "completed" } },
      /error: expected nothing, got \{"status":"NOT_FOUND"/,
    ],
    [
      "neither of the ids that name a snapshot",
      { type: "getSnapshotData" },
      /exactly one of snapshotId and sessionId/,
    ],
  ])("says what is wrong with %s", async (_, step, text) => {
    const { lines, passed } = await run([one(step)]);
    expect(lines[0]).toMatch(text);
    expect(lines).toHaveLength(2);
    expect(passed).toBe(false);
  });

  it("says everything that is wrong with a step, on one line, and none of what follows", async () => {
    const step = { ...hello, expectChunks: [], expectOutput: { hasState: true, message: "x" } };
    const { lines } = await run([{ ...one(step), steps: [step, step] }]);
    expect(lines[0]?.match(/steps\[0\]/g)).toHaveLength(3);
    expect(lines[0]).not.toContain("steps[1]");
  });

  it("says that a snapshot was there where none was expected", async () => {
    const steps = [
      { ...hello, init: { sessionId: "s" } },
      { type: "getSnapshotData", sessionId: "s", expectSnapshot: null },
    ];
    const { lines } = await run([{ ...one(hello), steps }]);
    expect(lines[0]).toMatch(/steps\[1\].*expectSnapshot: expected nothing, got \{"snapshotId"/);
  });

  it("does not wait for ever", async () => {
    const { inputs } = hello;
    const steps = [
      { type: "send", inputs: [{ ...inputs[0], detach: true }], captureSnapshotId: "pending" },
      { type: "waitUntilCompleted", snapshotId: "{{pending}}", timeout: 50 },
    ];
    const { lines } = await run([{ name: "a case", agent: "customAgentBlocking", steps }]);
    expect(lines[0]).toContain("The snapshot is still pending after 50 ms.");
  });
});

describe("a case that cannot be run", () => {
  it.each<[string, object, string]>([
    ["an unknown agent", { ...one(hello), agent: "x" }, 'agent: Unknown agent: "x"'],
    ["an unknown step type", one({ type: "dance" }), 'steps[0].type: Unknown step type: "dance"'],
    ["an unknown key", { ...one(hello), only: true }, 'Unrecognized key: "only"'],
    ["no steps", { ...one(hello), steps: [] }, "steps: Too small"],
    ...unknownKeys(),
  ])("fails for %s, and the others are run", async (_, mistaken, text) => {
    const { lines, passed } = await run([mistaken, one(hello, "good")]);
    expect(lines[0]).toMatch(/^FAILED {2}a case: /);
    expect(lines[0]).toContain(text);
    expect(lines.slice(1)).toEqual(["ok      good", "1 passed, 1 failed"]);
    expect(passed).toBe(false);
  });

  function unknownKeys(): [string, object, string][] {
    const read = { type: "getSnapshotData", snapshotId: "s" };
    const places: Readonly<Record<string, object>> = {
      "steps[0]": { ...hello, expectNothing: true },
      "steps[0].init": { ...hello, init: { expectNothing: true } },
      "steps[0].expectOutput": { ...hello, expectOutput: { expectNothing: true } },
      "steps[0].expectOutput.errorContains": {
        ...hello,
        expectOutput: { errorContains: { expectNothing: true } },
      },
      "steps[0].expectChunks[0]": { ...hello, expectChunks: [{ expectNothing: true }] },
      "steps[0].expectChunks[0].turnEnd": {
        ...hello,
        expectChunks: [{ turnEnd: { expectNothing: true } }],
      },
      "steps[0].expectError": { ...read, expectError: { expectNothing: true } },
      "steps[0].expectSnapshot": { ...read, expectSnapshot: { expectNothing: true } },
    };
    return Object.entries(places).map(([place, step]) => [
      `an unknown key of ${place}`,
      one(step),
      `${place}: Unrecognized key: "expectNothing"`,
    ]);
  }
});

describe("a file without anything to run", () => {
  it.each([
    ["no cases", "tests: []", "There are no cases"],
    ["no list of cases", "cases: []", "has a list of cases"],
    ["nothing", "", "has a list of cases"],
    ["something else besides", "tests: [{}]\nbefore: []", "Unknown in a spec file: before"],
    ["no YAML", "tests: [", "Flow sequence"],
    ["a key twice", "tests: []\ntests: []", "Map keys must be unique"],
  ])("fails for %s", async (_, text, message) => {
    const { lines, passed } = await runText(text);
    expect(lines[0]).toContain(message);
    expect(lines.slice(1)).toEqual(["0 passed, 1 failed"]);
    expect(passed).toBe(false);
  });

  it("fails when it is not there", async () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const passed = await conform({
      file: join(folder, "nowhere.yaml"),
      createPlace: memoryPlace,
      print,
    });
    expect(lines[0]).toContain("ENOENT");
    expect(lines[1]).toBe("0 passed, 1 failed");
    expect(passed).toBe(false);
  });
});

describe("what a case captures", () => {
  it("is put in the place of its name, with its own type", () => {
    const captures = new Captures();
    captures.set("state", { custom: [1] });
    captures.set("id", "s.1");
    expect(
      captures.resolve({ a: "{{state}}", b: ["{{ id }}", "at {{id}}, {{id}}"], c: null }),
    ).toEqual({ a: { custom: [1] }, b: ["s.1", "at s.1, s.1"], c: null });
  });
});

describe("the command", () => {
  it.each<[string, readonly string[], number, string]>([
    ["0 when all passed", [fileOf([one(hello)])], 0, "1 passed, 0 failed"],
    [
      "1 when one failed",
      [fileOf([one({ type: "dance" })]), "--store", "sqlite"],
      1,
      "0 passed, 1 failed",
    ],
    ["2 for an unknown store", [fileOf([one(hello)]), "--store", "tape"], 2, ""],
    ["2 without a file", [], 2, ""],
  ])("ends by itself, with %s", (_, parameters, code, lastLine) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [...argumentsFor(new URL("run-conformance.ts", import.meta.url)), ...parameters],
      { encoding: "utf8" },
    );
    expect(status).toBe(code);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(lastLine);
  });
});

function one(step: object, name = "a case"): object {
  return { name, agent: "promptAgentWithStore", steps: [step] };
}

interface Result {
  readonly lines: readonly string[];
  readonly passed: boolean;
}

async function run(tests: readonly object[]): Promise<Result> {
  return await runText(stringify({ tests }));
}

async function runText(text: string): Promise<Result> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const passed = await conform({ file: write(text), createPlace: memoryPlace, print });
  return { lines, passed };
}

function fileOf(tests: readonly object[]): string {
  return write(stringify({ tests }));
}

function write(text: string): string {
  const file = join(mkdtempSync(join(folder, "spec-")), "spec.yaml");
  writeFileSync(file, text);
  return file;
}
