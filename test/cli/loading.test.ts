import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startCli } from "../workers/start-cli.ts";
import { freshFolder, runTurnkeep } from "./run-turnkeep.ts";

const MANY = moduleNamed("many-exports.mjs");

test("agents are read from any export, and those that a registry gets later are served", async () => {
  const server = startCli(["serve", MANY, "--port", "0", "--json"], {}, freshFolder());
  await server.said("{");
  const { url, agents } = JSON.parse(server.lines[0]!) as { url: string; agents: string[] };
  const exported = ["default", "listed", "named", "registered", "single"];
  expect(agents.filter((name) => name !== "late").toSorted()).toEqual(exported);
  const { agents: served } = (await (await fetch(`${url}/agents`)).json()) as {
    agents: { name: string }[];
  };
  expect(served.map(({ name }) => name).toSorted()).toEqual([...exported, "late"].toSorted());
  const turn = await fetch(`${url}/agents/late`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data: { message: { role: "user", content: [{ text: "hi" }] } } }),
  });
  expect(turn.status).toBe(200);
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

test("one agent is found by its name, whatever export it comes from", async () => {
  const chat = await runTurnkeep(["chat", "named", "--module", MANY], { input: "hi\n" });
  expect([chat.code, chat.err]).toEqual([0, ""]);
});

test.each([
  ["no-agents.mjs", /exports no agents\. It exports: helpers, support\. Export an agent, a list/],
  ["two-of-one-name.mjs", /exports two agents named "twin"/],
])("%s is refused, and it is said why", async (name, says) => {
  const { code, err } = await runTurnkeep(["serve", moduleNamed(name), "--public"]);
  expect(err).toMatch(says);
  expect(code).toBe(1);
});

function moduleNamed(name: string): string {
  return fileURLToPath(new URL(`modules/${name}`, import.meta.url));
}
