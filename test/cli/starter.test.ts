import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { whenOver } from "../agent/life/leftovers.ts";
import { until } from "../agent/life/waiting.ts";
import { ROOT } from "../house/house-copy.ts";
import { PackedPackage } from "../house/packed-package.ts";
import { startCli } from "../workers/start-cli.ts";
import { freshFolder, NO_KEYS, runTurnkeep } from "./run-turnkeep.ts";

const NEEDED = ["zod", "tsx", "typescript", "@types/node", ".bin/tsc"];

test("a new project passes its test with the packed package, and is served while it changes", async () => {
  const packed = new PackedPackage();
  whenOver(() => packed.remove());
  const main = join(packed.home, "dist/cli/main.js");
  const options = { cwd: packed.project, encoding: "utf8", stdio: "pipe" } as const;
  const made = execFileSync(process.execPath, [main, "init", "x", "--no-install"], options);
  expect(made).toContain(join("x", "src/agents.ts"));
  const project = join(packed.project, "x");
  // What npm would install.
  for (const name of NEEDED) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  symlinkSync(packed.home, join(project, "node_modules/turnkeep"), "junction");
  const tested = execFileSync("npm", ["test"], { ...options, cwd: project });
  expect(tested).toMatch(/# pass 1\n# fail 0/);

  // As `npm start` does.
  const tsx = join(project, "node_modules/tsx/dist/cli.mjs");
  const server = startCli(["src/server.ts"], { PORT: "0" }, project, tsx);
  await server.said("http://127.0.0.1:");
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);

  const dev = startCli(["dev", "src/agents.ts", "--port", "0"], {}, project);
  await dev.said("ready: keeper");
  const file = join(project, "src/keeper.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace('name: "keeper"', 'name: "warden"'));
  await dev.said("ready: warden");
  writeFileSync(file, "this is no program");
  await until(() => dev.complaints.some((line) => line.includes("could not be loaded")));
  dev.kill("SIGTERM");
  expect(await dev.ended).toBe(0);
}, 240_000);

test("the packed package opens the demo where nothing else is installed", async () => {
  const packed = new PackedPackage();
  whenOver(() => packed.remove());
  const main = join(packed.home, "dist/cli/main.js");
  // A key alone is no reason to fail: the plugin for it is not there.
  const environment = { ...NO_KEYS, OPENAI_API_KEY: "k" };
  const flags = ["demo", "--port", "0", "--json"];
  const demo = startCli(flags, environment, packed.project, main);
  await demo.said("{");
  const told = JSON.parse(demo.lines[0] ?? "") as Record<"url" | "studio" | "model", string>;
  expect(told.model).toContain("npm install turnkeep genkit @cfworker/json-schema");
  expect((await fetch(told.studio)).status).toBe(200);
  const talk = startCli(["chat", "concierge", "--url", told.url], {}, packed.project, main);
  talk.tell("my name is Ada\n");
  expect(await talk.ended).toBe(0);
  expect(talk.lines.join("\n")).toContain("Ada. I shall not forget it.");
  demo.kill("SIGTERM");
  expect(await demo.ended).toBe(0);
}, 240_000);

test("a folder with something in it is left alone", async () => {
  const cwd = freshFolder();
  writeFileSync(join(cwd, "mine.txt"), "mine");
  const { code, err } = await runTurnkeep(["init", "."], { cwd });
  expect(code).toBe(1);
  expect(err).toBe(". is not empty. Choose another name.");
});

test("a new project made from a clone depends on the clone, and keeps conversations and keys out of git", async () => {
  const cwd = freshFolder();
  const { code } = await runTurnkeep(["init", "mine", "--no-install"], { cwd });
  expect(code).toBe(0);
  const manifest = JSON.parse(readFileSync(join(cwd, "mine/package.json"), "utf8")) as {
    readonly dependencies: { readonly turnkeep: string };
  };
  const [, place = ""] = /^file:(.+)$/.exec(manifest.dependencies.turnkeep) ?? [];
  expect(realpathSync(join(cwd, "mine", place))).toBe(realpathSync(ROOT));
  const ignored = readFileSync(join(cwd, "mine/.gitignore"), "utf8").split("\n");
  expect(ignored).toEqual(expect.arrayContaining(["node_modules/", ".turnkeep/", "*.db", ".env"]));
});

test("the demo's folder keeps itself out of git", async () => {
  const cwd = freshFolder();
  await runTurnkeep(["chat", "concierge"], { cwd, input: "hello\n", environment: NO_KEYS });
  expect(readFileSync(join(cwd, ".turnkeep/.gitignore"), "utf8")).toBe("*\n");
});
