import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endOf, startProgram } from "../examples/run-example.ts";
import { ROOT } from "../support/build-once.ts";

// Whole programs, as somebody would paste them: from their first import to their last line.
const PROGRAM = /```ts examples\/([\w-]+)\.ts\n(import [^]*?)```/g;
const PACKAGES = ["genkit", "zod", "@cfworker"];

describe("a program of the README, run as it is printed", () => {
  const programs = new Map<string, string>();
  let folder = "";

  beforeAll(() => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    for (const [, name = "", text = ""] of readme.matchAll(PROGRAM)) programs.set(name, text);
    folder = mkdtempSync(join(tmpdir(), "readme-"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/turnkeep"));
    for (const name of PACKAGES) {
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(name: string): ReturnType<typeof endOf> {
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, programs.get(name) ?? "");
    return await endOf(startProgram(file, folder, { PORT: "0" }));
  }

  it("is one of three", () => {
    expect([...programs.keys()]).toEqual(["counter", "genkit-refund", "echo-server"]);
  });

  it("counts, and says so", async () => {
    const { exitCode, text } = await run("counter");
    expect(text).toBe("That was number 1.\nThat was number 2.\n");
    expect(exitCode).toBe(0);
  });

  it("answers, and keeps its answer", async () => {
    const { exitCode, text } = await run("echo-server");
    expect(text).toContain("You said: Hello\n");
    expect(text).toContain("\nstop\n2 messages are kept\n");
    expect(exitCode, text).toBe(0);
  });

  it("fails, and says why, without the plugin of its model", async () => {
    const { exitCode, text } = await run("genkit-refund");
    expect(text).toContain("Genkit does not know the model 'googleai/gemini-flash-latest'");
    expect(text).toContain("genkit({ plugins: [...] })");
    expect(exitCode, text).toBe(1);
  });
});
