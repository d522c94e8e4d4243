import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startCli } from "../workers/start-cli.ts";
import { freshFolder, runTurnkeep } from "./run-turnkeep.ts";

const MODULES = fileURLToPath(new URL("modules", import.meta.url));
const ORIGINS = join(MODULES, "origins.mjs");
const PAGES = ["--origin", "http://localhost:5173", "--origin", "http://localhost:5174"];

test.each(["serve", "dev"])("%s lets pages of listed origins call", async (command) => {
  const server = startCli([command, ORIGINS, "--port", "0", ...PAGES], {}, freshFolder());
  await server.said("ready: host at ");
  const [, url = ""] = / at (\S+)/.exec(server.lines[0] ?? "") ?? [];
  const statusFor = async (origin: string): Promise<number> =>
    (await fetch(url, { headers: { origin } })).status;
  // By the module's export, by two flags, and by nothing.
  expect(await statusFor("https://app.example")).toBe(200);
  expect(await statusFor("http://localhost:5173")).toBe(200);
  expect(await statusFor("http://localhost:5174")).toBe(200);
  expect(await statusFor("http://localhost:5175")).toBe(403);
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [["serve", ORIGINS, "--origin", "*"], /'\*' is no origin/],
  [["dev", ORIGINS, "--origin", "localhost:5173"], /'localhost:5173' is no origin/],
  [["serve", join(MODULES, "no-origins.mjs")], /"origins" of .* must be a list of texts/],
];

test.each(REFUSED)("turnkeep %j is refused", async (args, complaint) => {
  const { code, err } = await runTurnkeep([...args, "--port", "0"]);
  expect(err).toMatch(complaint);
  expect(code).toBe(2);
});

test("serve warns where everybody beyond this machine may call", async () => {
  const server = startCli(["serve", ORIGINS, "--port", "0", "--host", "0.0.0.0"]);
  await server.said("ready: host at ");
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(server.complaints.join("\n")).toMatch(/is public beyond this machine/);
});
