import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder with these prompts by name, removed when the test has ended. */
export function promptFolder(prompts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-prompts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(prompts)) {
    writeFileSync(join(folder, `${name}.prompt`), text);
  }
  return folder;
}
