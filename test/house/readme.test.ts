import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

it("the README's programs compile", () => {
  const programs = [
    ...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g),
  ];
  expect(programs.length).toBeGreaterThan(0);
  const folder = join(ROOT, "node_modules", ".cache", "turnkeep-readme");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [index, [, code = ""]] of programs.entries()) {
    writeFileSync(join(folder, `program-${index}.mts`), code);
  }
  const options = { extends: join(ROOT, "tsconfig.json"), include: ["*.mts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(options));
  const { stdout, status } = spawnSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", folder], {
    cwd: ROOT,
    encoding: "utf8",
  });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
