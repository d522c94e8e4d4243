import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { endOf, Output, startExample } from "./run-example.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "turnkeep-chat-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function chat(...lines: readonly string[]): Promise<string> {
  const child = startExample("chat", cwd);
  child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
  const { exitCode, text } = await endOf(child);
  expect(exitCode, text).toBe(0);
  return text;
}

it("talks, remembers, and is still there when it is started again", async () => {
  const first = await chat("my name is Ada", "remember that tea is at four", "what is 6 x 7?");
  expect(first).toContain("Hello.");
  expect(first).toContain("~ Ada. I shall not forget it.");
  expect(first).toContain("~ 6 x 7 is 42.");
  expect(first).toContain("Goodbye.");
  const second = await chat("what do you know?", "/quit", "tell me a joke");
  expect(second).toContain("Welcome back, Ada. We are 3 turns in.");
  expect(second).toContain('You said "what is 6 x 7?"');
  expect(second).toContain("Your name is Ada. You told me: tea is at four.");
  expect(second).not.toContain("joke");
});

it("goes back and branches, shows the tree, and forgets", async () => {
  const text = await chat("my name is Ada", "my name is Bo", "/back 1", "hello", "/history");
  expect(text).toContain('Back where you said "my name is Ada".');
  expect(text).toContain("~ Hello, Ada.");
  expect(text).toContain("  1. my name is Ada\n  2. my name is Bo\n  2. hello  <- you are here\n");
  const later = await chat("/back 9", "/forget", "/history", "/nonsense");
  expect(later).toContain("I can go back 1 turn at most");
  expect(later).toContain("All of it is gone.");
  expect(later).toContain("Nothing was said yet.");
  expect(await chat()).toContain("Hello. Tell me things");
});

it("keeps its file where only its owner can read it", async () => {
  await chat("hello");
  expect(statSync(join(cwd, ".turnkeep")).mode & 0o777).toBe(0o700);
  expect(statSync(join(cwd, ".turnkeep/chat.db")).mode & 0o777).toBe(0o600);
});

it("stops an answer when told to, and goes on", async () => {
  const child = startExample("chat", cwd);
  const output = new Output(child);
  const end = endOf(child);
  child.stdin?.write("tell me a story\n");
  await output.includes("librarian");
  child.kill("SIGINT");
  await output.includes("(stopped)");
  child.stdin?.end("hello\n/history\n");
  const { exitCode, text } = await end;
  expect(exitCode, text).toBe(0);
  expect(text).toContain("  1. (aborted)\n  1. hello  <- you are here\n");
});
