import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { startCli } from "../workers/start-cli.ts";
import { freshFolder, runTurnkeep, SHOP } from "./run-turnkeep.ts";

const AGENTS = ["cashier", "cellar", "concierge", "manager", "scribe", "stargazer"];

describe("turnkeep chat through a pipe", () => {
  test("shows what is said and which tools are used, without colours, and asks", async () => {
    const cwd = freshFolder();
    const talk = "pay the shipyard 300\nyes\npay the shipyard 120\nno\n/state\n";
    const { code, out, err } = await runTurnkeep(["chat", "cashier"], { cwd, input: talk });
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain('→ pay {"to":"the shipyard","euros":300}');
    expect(out).toContain("? Pay 300 euros to the shipyard?");
    expect(out).toMatch(/Paid 300 euros to the shipyard, receipt \S+ 200 are left\./);
    expect(out).toContain("Not paid. The user said no.");
    expect(out).toContain('"euros": 200');
    expect(out).not.toContain("\u001B");
  });

  test("asks again about what waits from an earlier talk", async () => {
    const module = fileURLToPath(new URL("modules/genkit-payer.mjs", import.meta.url));
    const cwd = freshFolder();
    const chat = (input: string): ReturnType<typeof runTurnkeep> =>
      runTurnkeep(["chat", "payer", "-m", module], { cwd, input });
    // Nobody answers: the pipe ends.
    expect((await chat("pay\n")).out).toContain("? Pay?");
    const { out } = await chat("hello\nyes\n");
    expect(out).toContain("Tool requests wait for an answer.");
    expect(out).toContain("? Pay?");
    expect(out).toContain('The tool said "paid".');
  });

  test("goes back, branches, forks, and remembers", async () => {
    const cwd = freshFolder();
    const input = "my name is Ada\nremember tea\n/back\nremember milk\n/fork next\n/state\n/fly\n";
    const { out } = await runTurnkeep(["chat", "concierge"], { cwd, input });
    expect(out).toContain('Back where you said "my name is Ada".');
    expect(out).toContain("You are in session next now.");
    expect(out).toMatch(/"notes": \[\s+"milk"\s+\]/);
    expect(out).toContain("There is no /fly.");
    const again = await runTurnkeep(["chat", "concierge", "--session", "next"], { cwd });
    expect(again.out).toContain('session next, 2 turns in, last: "remember milk"');
  });

  test("tells everything as JSON", async () => {
    const call = { cwd: freshFolder(), input: "hello\n" };
    const { out } = await runTurnkeep(["chat", "clerk", "-m", SHOP, "--json"], call);
    const lines = out.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(-1)).toMatchObject({ output: { sessionId: "me", finishReason: "stop" } });
    expect(lines.some(({ update }) => update !== undefined)).toBe(true);
  });

  test("says nothing that a terminal would obey", async () => {
    const input = "remember \u001B[2J\u001B]0;owned\u0007 tea\n/state\n";
    const { out } = await runTurnkeep(["chat", "concierge"], { cwd: freshFolder(), input });
    expect(out).toContain("Noted: ");
    for (const control of ["\u001B", "\u0007"]) expect(out).not.toContain(control);
  });
});

test("a module is served, and talked to from elsewhere", async () => {
  const cwd = freshFolder();
  const flags = ["--public", "--routes", "all", "--port", "0", "--json", "--log"];
  const server = startCli(["serve", SHOP, ...flags], {}, cwd);
  await server.said("{");
  const { url } = JSON.parse(server.lines[0]!) as { url: string };
  const { out } = await runTurnkeep(["chat", "--url", url], { input: "hello\n/state\n" });
  expect(out).toContain("Number 1.");
  expect(out).toContain('"count": 1');
  const list = await runTurnkeep(["sessions", "ls", "clerk", "--url", url, "--json"]);
  expect(JSON.parse(list.out)).toMatchObject({ sessionId: "me", messageCount: 2 });
  expect(server.lines.some((line) => line.includes('"path":"/agents/clerk/runs"'))).toBe(true);
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

test("a public server lists no sessions, and its own output says which option does", async () => {
  const server = startCli(["serve", SHOP, "--public", "--port", "0", "--json"], {}, freshFolder());
  await server.said("{");
  const { url } = JSON.parse(server.lines[0]!) as { url: string };
  const { out } = await runTurnkeep(["chat", "--url", url], { input: "hello\n" });
  expect(out).toContain("Number 1.");
  const list = await runTurnkeep(["sessions", "ls", "clerk", "--url", url]);
  expect([list.code, list.out]).toEqual([1, ""]);
  expect(server.complaints.join("\n")).toContain(`add "sessions" to the server's option 'routes'`);
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

test("sessions are listed, shown, exported, imported, erased and pruned", async () => {
  const cwd = freshFolder();
  const shop = ["--module", SHOP];
  const sessions = (...args: readonly string[]): ReturnType<typeof runTurnkeep> =>
    runTurnkeep(["sessions", ...args, ...shop], { cwd });
  await runTurnkeep(["chat", "clerk", ...shop], { cwd, input: "hello\nagain\n" });
  expect((await sessions("ls", "clerk")).out).toMatch(/idle +4 messages {2}me\n1 session$/);
  const { out: shown } = await sessions("show", "clerk", "me");
  expect(shown).toContain("user again\nmodel Number 2.");
  expect(shown).toContain("completed  ← head");
  const file = join("kept", "me.session.jsonl");
  expect((await sessions("export", "clerk", "--to", "kept")).out).toBe(file);
  expect(statSync(join(cwd, file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, file), "utf8").split("\n").length).toBeGreaterThan(3);
  const taken = await sessions("import", "clerk", file);
  expect(taken.err).toContain('There is a session "me" already.');
  expect((await sessions("import", "clerk", file, "--as", "you")).out).toBe("you: 2 snapshots");
  const { out: same } = await sessions("show", "clerk", "you", "--json");
  expect(JSON.parse(same)).toMatchObject({ state: { custom: { count: 2 } } });
  expect((await sessions("rm", "clerk", "me", "--yes")).out).toBe("erased me");
  const recent = await sessions("prune", "clerk", "--older-than", "1d", "--yes");
  expect(recent.out).toBe("erased 0 sessions");
  const dry = await sessions("prune", "clerk", "--older-than", "0m", "--dry-run");
  expect(dry.out).toBe("you");
  const gone = await sessions("prune", "clerk", "--older-than", "0m", "--yes", "--json");
  expect(JSON.parse(gone.out)).toEqual({ erased: 1 });
  expect((await sessions("ls", "clerk")).out).toBe("0 sessions");
});

test("the demo serves its agents, and keeps what they hear where only its owner can read it", async () => {
  const cwd = freshFolder();
  const demo = startCli(["demo", "--port", "0", "--json"], {}, cwd);
  await demo.said("{");
  const told = JSON.parse(demo.lines[0]!) as Record<"url" | "studio" | "model", string>;
  const [page = "", token] = told.studio.split("#token=");
  expect(await (await fetch(page)).text()).toContain("<title>");
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${told.url}/api/agents`, { headers });
  const { agents } = (await answer.json()) as { agents: Record<string, unknown> };
  expect(Object.keys(agents).toSorted()).toEqual(AGENTS);
  expect((await fetch(`${told.url}/api/agents`)).status).toBe(401);
  expect(told.model).toMatch(/^scripted \(no language model/);
  const talk = ["chat", "concierge", "--url", told.url];
  expect((await runTurnkeep(talk, { input: "my name is Ada\n" })).out).toContain("Ada. I shall");
  const taken = await runTurnkeep(["demo", "--port", new URL(told.url).port], { cwd });
  expect(taken.err).toMatch(/Port \d+ is taken\. Name another with --port\./);
  demo.kill("SIGTERM");
  expect(await demo.ended).toBe(0);
  expect(existsSync(join(cwd, ".turnkeep/demo.db"))).toBe(true);
  expect(statSync(join(cwd, ".turnkeep")).mode & 0o777).toBe(0o700);
});
