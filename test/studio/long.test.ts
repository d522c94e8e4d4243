import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED } from "./watched-page.ts";

const MESSAGES = 5000;

describe("a long session in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await demo.planner.runText(`history ${MESSAGES}`, { sessionId: "long" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("opens at its end, and at any message, with few of them there", async () => {
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
    });
  });
});
