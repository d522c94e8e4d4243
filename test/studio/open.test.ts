import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("what is opened by its id", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  let first: string;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    const { planner, research } = demo;
    const { snapshotId } = await planner.runText("one in Lisbon", { sessionId: "named" });
    first = snapshotId ?? "";
    await planner.runText("two in Porto", { sessionId: "named" });
    await planner.runText("hello", { sessionId: "twice" });
    await research.runText("hello", { sessionId: "twice" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("is a session, a snapshot, a run or a trace, of whatever agent", async () => {
    const [turn] = await demo.planner.inspector.listSnapshots("named");
    const [trace] = demo.traces.list();
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await page.keyboard.press("g");
      await page.keyboard.press("o");
      await studio.hasHeading("Open by id");
      await expect.poll(() => page.evaluate("document.activeElement.tagName"), WAIT).toBe("INPUT");
      await page.keyboard.insertText(`  ${first} `);
      await page.keyboard.press("Enter");
      await studio.sees("Sending starts a new branch.");
      await expect.poll(() => new URL(page.url()).searchParams.get("snap")).toBe(first);
      await studio.goto(demo.url("/open?session=named"));
      await studio.sees("three hotels in Porto");
      await studio.goto(demo.url(`/open?run=${turn?.runId}`));
      await studio.sees("Sending starts a new branch.");
      await studio.goto(demo.url(`/open?trace=${trace?.traceId}`));
      await page.waitForURL((url) => url.pathname.endsWith(`/traces/${trace?.traceId}`));
      await studio.goto(demo.url("/open?id=twice"));
      await page.getByRole("link", { name: "session of research" }).click();
      await page.waitForURL((url) => url.pathname.endsWith("/agents/research/sessions/twice"));
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("no-such-id");
      await page.getByRole("option", { name: "Open no-such-id" }).click();
      await studio.sees("Nothing has this id.");
    });
  });

  test("is read and copied as JSON", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url(`/agents/planner/sessions/named?snap=${first}`));
      await studio.sees("three hotels in Lisbon");
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press(".");
      await studio.hasHeading("Raw JSON");
      await page.locator(".cm-line").getByText("snapshotId").waitFor();
      await page.keyboard.press("c");
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const copied = JSON.parse(await page.evaluate<string>("navigator.clipboard.readText()"));
      const { state } = await demo.planner.getSnapshot(first);
      expect(copied.state).toEqual(JSON.parse(JSON.stringify(state)));
      await page.reload();
      await page.locator(".cm-line").getByText("snapshotId").waitFor();
      await page.getByRole("link", { name: "Back to the session" }).click();
      await studio.sees("Sending starts a new branch.");
      studio.expected.add(404);
      await studio.goto(demo.url("/agents/planner/sessions/named/raw?snap=named.nothing"));
      await page.getByRole("alert").getByText("could not be loaded").waitFor();
      await studio.goto(demo.url("/agents/planner/sessions/named/raw"));
      await page.locator(".cm-line").getByText("parentId").waitFor();
    });
  });
});
