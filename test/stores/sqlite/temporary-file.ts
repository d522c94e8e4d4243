import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whenOver } from "../../support/when-over.ts";

let directory: string | undefined;
let count = 0;

/** A path in a directory that is gone when the test file is done. */
export function temporaryFile(name = "store.db"): string {
  directory ??= newDirectory();
  count += 1;
  return join(directory, `${count}-${name}`);
}

function newDirectory(): string {
  const made = mkdtempSync(join(tmpdir(), "turnkeep-sqlite-"));
  whenOver(() => {
    directory = undefined;
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}
