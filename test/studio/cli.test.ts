import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { PackedPackage } from "../house/packed-package.ts";
import { UNHURRIED, WatchedPage } from "./watched-page.ts";

const MODULE = `
import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
export const agents = [
  defineCustomAgent({ name: "echo", store: new MemoryStore() }, async ({ session }) => {
    await session.run(() => ({ finishReason: "stop" }));
  }),
];
export const prices = { currency: "EUR", perMillion: { echo: { inputTokens: 3 } } };
`;

describe("turnkeep studio, as it is installed", UNHURRIED, () => {
  let packed: PackedPackage;
  let file: string;
  let taken: Server;

  beforeAll(async () => {
    packed = new PackedPackage();
    file = join(packed.project, "agents.mjs");
    await writeFile(file, MODULE);
    taken = createServer();
    await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
  });
  afterAll(() => {
    taken?.close();
    packed?.remove();
  });

  function start(...args: readonly string[]): ChildProcess {
    const env = { ...process.env, NODE_ENV: "development" };
    const command = join(packed.home, "dist", "cli", "main.js");
    return spawn(process.execPath, [command, "studio", ...args], { env });
  }

  async function linesOf({ stdout }: ChildProcess, last: RegExp): Promise<string> {
    let text = "";
    for await (const piece of stdout ?? []) {
      text += String(piece);
      if (last.test(text)) return text;
    }
    return text;
  }

  test("prints a link that opens it, takes the next port when one is taken, and stops when asked", async () => {
    const { port } = taken.address() as AddressInfo;
    const child = start(file, "--port", String(port));
    const ended = new Promise((done) => child.on("exit", done));
    const said = await linesOf(child, /Studio: \S+\n/);
    expect(said).toContain(`Port ${port} is taken; using `);
    const link = new URL(/Studio: (\S+)/.exec(said)?.[1] ?? "");
    expect(link.hostname).toBe("127.0.0.1");
    expect(Number(link.port)).toBeGreaterThan(port);
    expect((await fetch(link)).status).toBe(200);
    const token = new URLSearchParams(link.hash.slice(1)).get("token");
    const opened = await fetch(`${link.origin}/studio/api/studio/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token }),
    });
    expect(opened.status).toBe(204);
    expect(opened.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict; Path=\/studio$/);
    const agents = await fetch(`${link.origin}/studio/api/agents`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(Object.keys(((await agents.json()) as { agents: object }).agents)).toEqual(["echo"]);
    // Another address of the same machine, which a server that listens at all of them would answer.
    await expect(fetch(`http://127.0.0.2:${link.port}/studio/`)).rejects.toThrow("fetch failed");
    await opensAt(link);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test("prints the link as JSON where it is asked to", async () => {
    const child = start(file, "--port", "0", "--json");
    const ended = new Promise((done) => child.on("exit", done));
    const told = JSON.parse(await linesOf(child, /\n/)) as { studio: string; agents: string[] };
    expect((await fetch(told.studio)).status).toBe(200);
    expect(told.agents).toEqual(["echo"]);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  async function opensAt(link: URL): Promise<void> {
    const browser = await openBrowser();
    try {
      const studio = await WatchedPage.open(await browser.newContext(), link.origin);
      await studio.goto(link.href);
      await studio.hasHeading("Agents");
      await studio.page.getByRole("link", { name: "echo" }).waitFor();
      await expect.poll(() => studio.page.url()).toBe(`${link.origin}/studio/agents`);
      await studio.page.reload();
      await studio.page.getByRole("link", { name: "echo" }).click();
      await studio.hasHeading("echo");
      await studio.goto(`${link.origin}/studio/settings`);
      await studio.sees("echo: inputTokens 3 EUR for a million");
      expect(studio.faults).toEqual([]);
    } finally {
      await browser.close();
    }
  }

  async function complaintOf(...args: readonly string[]): Promise<string> {
    const child = start(...args);
    const ended = new Promise((done) => child.on("exit", done));
    let complaint = "";
    child.stderr?.on("data", (piece) => (complaint += String(piece)));
    expect(await ended).toBe(2);
    return complaint;
  }

  test("says how it is called", async () => {
    expect(await complaintOf()).toContain("Name one module that exports agents.");
    expect(await complaintOf(file, "--port", "many")).toContain("--port must be a port");
  });

  test("refuses what are no prices", async () => {
    const dear = join(packed.project, "dear.mjs");
    await writeFile(dear, MODULE.replace('"EUR"', '"euros"'));
    expect(await complaintOf(dear, "--port", "0")).toContain("three capital letters");
  });
});
