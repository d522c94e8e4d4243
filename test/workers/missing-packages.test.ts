import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PackedPackage } from "../house/packed-package.ts";

describe("the published package where BullMQ is not installed", () => {
  let packed: PackedPackage;

  beforeAll(() => {
    packed = new PackedPackage();
  });
  afterAll(() => packed.remove());

  test.each(["redis://127.0.0.1:1", "postgres://127.0.0.1:1/x"])(
    "says what to install when a worker is started on %s",
    (connection) => {
      const program = `
        import { buildCustomAgent } from "turnkeep";
        import { MemoryStore } from "turnkeep/stores/memory";
        import { startWorker } from "turnkeep/workers/bullmq";
        const agents = [buildCustomAgent({ name: "a", store: new MemoryStore() }, async () => {})];
        await startWorker({ agents, connection: "${connection}" }).catch((error) => {
          console.log(error.status, error.message);
        });
      `;
      const { stdout, stderr } = run(packed, ["--input-type=module", "--eval", program]);
      expect(stdout, stderr).toMatch(/^FAILED_PRECONDITION .+ run "npm install bullmq"\.\n$/);
    },
  );

  test("has a command that teaches itself", () => {
    const { bin } = packed.manifest as unknown as { readonly bin: { readonly turnkeep: string } };
    const { stdout, status } = run(packed, [join(packed.home, bin.turnkeep), "--help"]);
    expect(stdout).toMatch(/Usage: turnkeep <command>/);
    expect(status).toBe(0);
  });
});

function run(
  { project }: PackedPackage,
  args: readonly string[],
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
}
