import { createHash } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { barriersIn } from "./barriers.ts";
import { type Demo, startDemo } from "./demo.ts";
import { LARGE_TEXT } from "./sample-artifacts.ts";
import { downloaded, inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

const MESSAGES = 5000;
const SPANS = 3000;

describe("what is large, in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("a long session opens at its end, and at any message, with few of them there", async () => {
    await demo.planner.runText(`history ${MESSAGES}`, { sessionId: "long" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const articles = page.getByRole("log").getByRole("article");
      await studio.goto(demo.url("/agents/planner/sessions/long"));
      await page.getByText(`Said ${MESSAGES - 1}.`, { exact: true }).waitFor();
      expect(await articles.count()).toBeLessThanOrEqual(30);
      await studio.goto(demo.url("/agents/planner/sessions/long?msg=2500"));
      await page.getByText("Said 2500.", { exact: true }).waitFor();
      expect(await page.getByText("Said 2500.", { exact: true }).isVisible()).toBe(true);
      expect(await articles.count()).toBeLessThanOrEqual(30);
      const asked = studio.requests.filter((one) => one.includes("/messages?"));
      expect(asked.length).toBeLessThanOrEqual(8);
      await page.getByRole("log").press("Home");
      await page.getByText("Said 1.", { exact: true }).waitFor();
      expect(await articles.count()).toBeLessThanOrEqual(30);
      await page.keyboard.press("Control+f");
      const find = page.getByRole("searchbox", { name: "Find in the messages" });
      await find.pressSequentially("SAID 432");
      const found = page.getByRole("search").getByRole("status");
      // 432 and 4320 to 4329.
      await found.getByText("11 found").waitFor();
      await find.press("Shift+Enter");
      const current = page.locator("article[aria-current]");
      await current.getByText("Said 432.", { exact: true }).waitFor();
      await found.getByText("1 of 11").waitFor();
      await find.press("Enter");
      await current.getByText("Said 4320.", { exact: true }).waitFor();
      expect(await articles.count()).toBeLessThanOrEqual(30);
      expect(await barriersIn(page)).toEqual([]);
      await find.fill("never said");
      await found.getByText("no message says it").waitFor();
      await find.press("Escape");
      await find.waitFor({ state: "detached" });
      await page.reload();
      await current.getByText("Said 4320.", { exact: true }).waitFor();
    });
  });

  test("the keys Home and End reach the ends of messages whose heights are not known yet", async () => {
    await demo.planner.runText(`history ${MESSAGES} tall`, { sessionId: "tall" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/tall?msg=2500"));
      await page.getByText("Said 2500.", { exact: true }).waitFor();
      await page.getByRole("log").press("Home");
      await page.getByText("Said 1.", { exact: true }).waitFor();
      await page.getByRole("log").press("End");
      await page.getByText(`Said ${MESSAGES - 1}.`, { exact: true }).waitFor();
    });
  });

  test("an artifact of 5 MB is shown in part, searched whole, and downloaded as it is", async () => {
    await demo.planner.runText("large", { sessionId: "large" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const address = demo.url("/agents/planner/sessions/large?panel=artifacts");
      await studio.goto(`${address}&art=large.txt`);
      const lines = page.locator(".cm-line");
      await lines.getByText("Line 1 of the large text.", { exact: true }).waitFor();
      expect(await lines.count()).toBeLessThanOrEqual(200);
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+f");
      const find = page.locator(".cm-search input[name=search]");
      await find.waitFor();
      await find.pressSequentially("Line 77777 of");
      await find.press("Enter");
      await lines.getByText("Line 77777 of the large text.", { exact: true }).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download" }).click(),
      ]);
      const sha = (data: Uint8Array | string): string =>
        createHash("sha256").update(data).digest("hex");
      expect(sha(await downloaded(download))).toBe(sha(LARGE_TEXT));
      await studio.goto(`${address}&art=one-line.txt`);
      await lines.first().waitFor();
      await studio.goto(`${address}&art=large.json`);
      await studio.sees("“number 1”");
      expect(await page.getByText(/number \d+/).count()).toBeLessThanOrEqual(250);
    });
  });

  test("a trace of 3,000 spans is drawn in part, and looked at closer", async () => {
    await demo.planner.runText(`spans ${SPANS}`, { sessionId: "traced" });
    const [trace] = demo.traces.list().filter(({ spans }) => spans.size > SPANS);
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().includes("view=light")),
        studio.goto(demo.url(`/traces/${trace?.traceId}`)),
      ]);
      const spans = page.getByRole("listbox", { name: "Spans" }).getByRole("option");
      await spans.first().waitFor();
      const light = await answer.text();
      expect(light.length).toBeLessThan(300_000);
      expect(light).not.toContain("genkit:input");
      expect(await spans.count()).toBeLessThanOrEqual(60);
      await studio.sees(/^6\s000 in, 3\s000 out$/);
      const { usage } = await demo.planner.getLatestSnapshot("traced");
      expect(usage).toEqual({ inputTokens: 2 * SPANS, outputTokens: SPANS });
      await page.evaluate(`document.querySelector("[role=listbox]").scrollTop = 1e6`);
      await page.getByRole("option", { name: `search ${SPANS}` }).click();
      await page.getByRole("tab", { name: "Attributes" }).click();
      await studio.sees(`query ${SPANS}`);
      expect(studio.requests.filter((one) => one.includes("/spans/"))).toHaveLength(1);
      await page.reload();
      await page.getByRole("option", { name: `search ${SPANS}`, selected: true }).waitFor();
      const axis = await page.locator(".cursor-ew-resize").boundingBox();
      if (axis === null) throw new Error("There is no axis.");
      await page.mouse.move(axis.x + axis.width * 0.5, axis.y + 5);
      await page.mouse.down();
      await page.mouse.move(axis.x + axis.width * 0.75, axis.y + 5);
      await page.mouse.up();
      await studio.click("Show all");
      await studio.sees("Drag to look closer");
      await expect.poll(() => spans.count(), WAIT).toBeLessThanOrEqual(60);
    });
  });
});
