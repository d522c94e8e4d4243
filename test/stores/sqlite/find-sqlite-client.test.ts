import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { findSqliteClient } from "../../../src/stores/sqlite/find-sqlite-client.ts";
import { scratchDirectory } from "../../agent/life/stores.ts";
import { ROOT } from "../../house/house-copy.ts";

const EXPERIMENTAL = "SQLite is an experimental feature and might change at any time";

test("hides the warning that Node's SQLite is experimental, and no other", async () => {
  const client = { DatabaseSync: "a class" };
  const warnings: string[] = [];
  const listen = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  const emitWarning = Reflect.get(process, "emitWarning");
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  const load = vi.spyOn(process, "getBuiltinModule").mockImplementation(() => {
    process.emitWarning(EXPERIMENTAL, "ExperimentalWarning");
    process.emitWarning(EXPERIMENTAL, "DeprecationWarning");
    process.emitWarning("Something else is experimental", "ExperimentalWarning");
    return client;
  });
  onTestFinished(() => load.mockRestore());
  expect(await findSqliteClient("9.0.0")).toBe(client);
  expect(Reflect.get(process, "emitWarning")).toBe(emitWarning);
  process.emitWarning(EXPERIMENTAL, "ExperimentalWarning");
  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings).toEqual([
    `DeprecationWarning: ${EXPERIMENTAL}`,
    "ExperimentalWarning: Something else is experimental",
    `ExperimentalWarning: ${EXPERIMENTAL}`,
  ]);
});

test("opening a store prints no warning", async () => {
  const store = pathToFileURL(join(ROOT, "dist/stores/sqlite/index.js")).href;
  const file = join(scratchDirectory(), "quiet.db");
  const program = `const { openSqliteStore } = await import(${JSON.stringify(store)});
    await (await openSqliteStore(${JSON.stringify(file)})).close();`;
  const complaints = await new Promise<string>((resolve) => {
    execFile(process.execPath, ["--input-type=module", "-e", program], (_error, _out, complaints) =>
      resolve(complaints),
    );
  });
  expect(complaints).toBe("");
});
