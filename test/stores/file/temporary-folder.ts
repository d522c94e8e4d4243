import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

// A disk in memory, where there is one: waiting for it takes no time.
const inMemory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const directories = { disk: newDirectory(tmpdir()), memory: newDirectory(inMemory) };
let count = 0;

function newDirectory(parent: string): string {
  return mkdtempSync(join(parent, "turnkeep-file-"));
}

// While the test file is read: inside a running test it would never be called.
afterAll(() => {
  for (const directory of Object.values(directories))
    rmSync(directory, { recursive: true, force: true });
});

/** A path where nothing is yet, in a directory that is gone when the test file is done. */
export function temporaryFolder(name = "store", where: "disk" | "memory" = "disk"): string {
  count += 1;
  return join(directories[where], `${count}-${name}`);
}
