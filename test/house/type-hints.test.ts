import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./house-copy.ts";
import { PackedPackage } from "./packed-package.ts";

const PROGRAM = `import { defineCustomAgent } from "turnkeep";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";
const awaited = await openSqliteStore("sessions.db");
for (const store of [awaited, new MemoryStore()]) defineCustomAgent({ name: "a", store }, () => {});
const agent = defineCustomAgent({ name: "a" }, () => {});
await serve([agent], { auth: "public" });
await serve([agent]);
defineCustomAgent({ name: "a", store: openSqliteStore("sessions.db") }, () => {});
`;

let packed: PackedPackage;

beforeAll(() => {
  packed = new PackedPackage();
});
afterAll(() => packed.remove());

test.each(["typescript59", "typescript"])(
  "%s gives a hint where auth is missing and where a store was not awaited",
  (compiler) => {
    const errors = errorsOf(compiler);
    expect(Object.keys(errors)).toEqual(["9", "10"]);
    expect(errors["9"]).toContain(
      'Decide who may call: serve(agents, { auth }), with a function or "public"',
    );
    expect(errors["10"]).toContain("Await the store: store: await openSqliteStore(path)");
  },
);

/** What the compiler says of the program, by line. */
function errorsOf(compiler: string): Readonly<Record<string, string>> {
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["es2022", "dom", "dom.asynciterable"],
    types: [],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const files = ["program.ts"];
  writeFileSync(join(packed.project, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(packed.project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  writeFileSync(join(packed.project, "program.ts"), PROGRAM);
  const tsc = join(ROOT, "node_modules", compiler, "bin", "tsc");
  const options = { cwd: packed.project, encoding: "utf8" } as const;
  const { stdout } = spawnSync(process.execPath, [tsc, "--pretty", "false"], options);
  const errors = stdout.split(/^program\.ts\((\d+),\d+\): /m).slice(1);
  return Object.fromEntries(
    errors.flatMap((line, index) => (index % 2 === 0 ? [[line, errors[index + 1] ?? ""]] : [])),
  );
}
