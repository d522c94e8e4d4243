import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const directory = mkdtempSync(join(tmpdir(), "turnkeep-file-"));
let count = 0;

// While the test file is read: inside a running test it would never be called.
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A path where nothing is yet, in a directory that is gone when the test file is done. */
export function temporaryFolder(name = "store"): string {
  count += 1;
  return join(directory, `${count}-${name}`);
}
