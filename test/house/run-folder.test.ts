import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { closeRunFolder, openRunFolder, takeLeftovers } from "../support/run-folder.ts";
import { labelHome, removeHome } from "../support/services-home.ts";

const NOBODY_PID = 2 ** 30;

/** A temporary folder as a run finds it, with nothing of ours in it. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-system-"));
  onTestFinished(() => removeHome(folder));
  vi.stubEnv("TMPDIR", folder);
  vi.stubEnv("TURNKEEP_RUN_FOLDER", process.env["TURNKEEP_RUN_FOLDER"] ?? "");
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test("a run leaves nothing in the temporary folder", async () => {
  const system = emptyFolder();
  const run = await openRunFolder();
  expect(tmpdir()).toBe(run);
  closeRunFolder(run);
  expect(readdirSync(system)).toEqual([]);
});

test("a run fails that would leave something, and takes it away all the same", async () => {
  const system = emptyFolder();
  const run = await openRunFolder();
  mkdirSync(join(run, "worker-1"));
  writeFileSync(join(run, "worker-1", "forgotten.db"), "");
  expect(() => closeRunFolder(run)).toThrow("left temporary files behind: forgotten.db");
  expect(readdirSync(system)).toEqual([]);
});

test("what a test file leaves is named and taken away; what tools keep for later stays", () => {
  const folder = emptyFolder();
  for (const name of ["tsx-0", "turnkeep-store-x"]) mkdirSync(join(folder, name));
  expect(takeLeftovers(folder)).toEqual(["turnkeep-store-x"]);
  expect(readdirSync(folder)).toEqual(["tsx-0"]);
});

test("what a run left that was killed is taken away by the next one, and nothing of one that goes on", async () => {
  const system = emptyFolder();
  const [dead, alive] = ["turnkeep-run-dead", "turnkeep-run-alive"].map((name) =>
    join(system, name),
  );
  for (const folder of [dead!, alive!]) mkdirSync(folder);
  labelHome(dead!, { runnerPid: NOBODY_PID, stopSignal: "SIGTERM" });
  labelHome(alive!, { runnerPid: process.pid, stopSignal: "SIGTERM" });
  closeRunFolder(await openRunFolder());
  expect([existsSync(dead!), existsSync(alive!)]).toEqual([false, true]);
});
