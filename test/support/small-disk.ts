import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";

/** Mounts a small disk for one test, or skips it and says why. */
export async function withSmallDisk(
  context: TestContext,
  size: string,
  work: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "turnkeep-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory], {
      stdio: "pipe",
    });
  } catch (error) {
    rmSync(directory, { recursive: true });
    console.warn(
      `SKIPPED "${context.task.name}": needs the right to mount a disk (${String(error)})`,
    );
    context.skip("needs the right to mount a disk");
  }
  try {
    await work(directory);
  } finally {
    execFileSync("umount", ["-l", directory]);
    rmSync(directory, { recursive: true });
  }
}
