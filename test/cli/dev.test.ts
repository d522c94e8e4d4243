import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { whenOver } from "../agent/life/leftovers.ts";
import { until } from "../agent/life/waiting.ts";
import { ROOT } from "../house/house-copy.ts";
import { type CliProcess, startCli } from "../workers/start-cli.ts";
import { freshFolder, runTurnkeep } from "./run-turnkeep.ts";

const PACKAGE = pathToFileURL(join(ROOT, "dist/agent/index.js")).href;
const AGENTS = `import { defineCustomAgent } from ${JSON.stringify(PACKAGE)};
import { name } from "./name.mjs";
export const agents = [defineCustomAgent({ name }, async ({ session }) => session.result())];
`;
const nameModule = (name: string): string => `export const name = "${name}";\n`;

describe("turnkeep dev", () => {
  test("restarts after every save, whether a file is replaced or written", async () => {
    const { dev, folder } = await startDev("first");
    for (const name of ["second", "third", "fourth"]) {
      replace(folder, nameModule(name));
      await dev.said(`ready: ${name} `);
    }
    writeFileSync(join(folder, "name.mjs"), nameModule("fifth"));
    await dev.said("ready: fifth ");
    await stop(dev);
  }, 240_000);

  test("waits for the correction of a syntax error, and restarts then", async () => {
    const { dev, folder } = await startDev("first");
    replace(folder, nameModule("second"));
    await dev.said("ready: second ");
    replace(folder, "export const name = ;\n");
    await complained(dev, /could not be loaded/);
    await complained(dev, /Waiting for changes/);
    replace(folder, nameModule("third"));
    await dev.said("ready: third ");
    await stop(dev);
  }, 240_000);

  test("notices files in folders that are made while it runs", async () => {
    const { dev, folder } = await startDev("first");
    mkdirSync(join(folder, "deep/er"), { recursive: true });
    writeFileSync(join(folder, "deep/er/name.mjs"), nameModule("second"));
    writeFileSync(join(folder, "name.mjs"), `export { name } from "./deep/er/name.mjs";\n`);
    await dev.said("ready: second ");
    writeFileSync(join(folder, "deep/er/name.mjs"), nameModule("third"));
    await dev.said("ready: third ");
    await stop(dev);
  }, 240_000);

  test("ends with 1 when there is no such file", async () => {
    const { code, out, err } = await runTurnkeep(["dev", "nofile.ts"], { cwd: freshFolder() });
    expect([code, out, err]).toEqual([1, "", "There is no file nofile.ts."]);
  });
});

async function startDev(name: string): Promise<{ dev: CliProcess; folder: string }> {
  const folder = freshFolder();
  writeFileSync(join(folder, "agents.mjs"), AGENTS);
  writeFileSync(join(folder, "name.mjs"), nameModule(name));
  const dev = startCli(["dev", "agents.mjs", "--port", "0"], {}, folder);
  // Its server would outlive it, were it killed.
  whenOver(async () => {
    dev.kill("SIGTERM");
    await dev.ended;
  });
  await dev.said(`ready: ${name} `);
  return { dev, folder };
}

/** As editors and `sed -i` save: another file takes the name of the one before. */
function replace(folder: string, text: string): void {
  writeFileSync(join(folder, "name.mjs.tmp"), text);
  renameSync(join(folder, "name.mjs.tmp"), join(folder, "name.mjs"));
}

async function complained(dev: CliProcess, complaint: RegExp): Promise<void> {
  await until(() => dev.complaints.some((line) => complaint.test(line)));
}

async function stop(dev: CliProcess): Promise<void> {
  dev.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
}
