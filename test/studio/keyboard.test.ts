import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, isIdle, UNHURRIED, WAIT, type WatchedPage } from "./watched-page.ts";

const MOST_STEPS = 80;

const SCREENS = [
  ["/agents", "Plans trips"],
  ["/agents/planner", "Plans trips"],
  ["/sessions", "narrow"],
  ["/agents/planner/sessions/narrow", "Shall I book it for"],
  ["/runs", "narrow"],
  ["/traces", "planner"],
  ["/stats", "Error rate"],
  ["/settings", "Single letters"],
] as const;

describe("the Studio without a mouse", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  // As somebody would go there who has no other way.
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    const reached = target.and(target.page().locator(":focus"));
    for (let step = 0; step < MOST_STEPS; step += 1) {
      await target.page().keyboard.press("Tab");
      if ((await reached.count()) === 1) return;
    }
    throw new Error(`Not reached: ${String(target)}`);
  }

  // Not thrown back to where a page begins for those who cannot see it.
  async function keepsFocus(page: Page): Promise<void> {
    await expect.poll(() => page.evaluate("document.activeElement.tagName"), WAIT).not.toBe("BODY");
  }

  // The second of two that wait, once the first is answered, and then both are sent.
  async function answersTheRest(studio: WatchedPage): Promise<void> {
    const { page } = studio;
    const budget = page.getByRole("region", { name: "askBudget waits for you" });
    await studio.sees("1 of 2 answered");
    await keepsFocus(page);
    // Nothing is chosen: the first that Tab reaches is chosen by Space, the next by an arrow.
    await tabTo(budget.getByLabel("Deny"));
    await page.keyboard.press("ArrowDown");
    await tabTo(budget.getByLabel("Euros"));
    await page.keyboard.type("700");
    await tabTo(budget.getByRole("button", { name: "Answer" }));
    await page.keyboard.press("Enter");
    await tabTo(page.getByRole("button", { name: "Send the answers" }));
    await page.keyboard.press("Enter");
  }

  test("talks for the first time, and stops what was begun", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
      await page.keyboard.type("talk to planner");
      await page.keyboard.press("Enter");
      await studio.hasHeading("Talk to planner");
      await tabTo(page.getByRole("textbox", { name: "Message" }));
      await page.keyboard.type("slow keyboard");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/sessions\//);
      await studio.sees("tick 0");
      await tabTo(page.getByRole("button", { name: "Stop" }));
      await page.keyboard.press("Enter");
      await isIdle(studio);
      await studio.sees("This turn was stopped.");
      await keepsFocus(page);
    });
  });

  test("goes back in time, and on from there", async () => {
    const { snapshotId: first } = await demo.planner.runText("one in Lisbon", {
      sessionId: "time",
    });
    await demo.planner.runText("two in Porto", { sessionId: "time" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/time"));
      await page.getByText("three hotels in Porto").waitFor();
      await tabTo(page.getByRole("treeitem", { selected: true }));
      await page.keyboard.press("ArrowDown");
      await studio.sees("Sending starts a new branch.");
      await tabTo(page.getByRole("textbox", { name: "Message" }));
      await page.keyboard.type("three in Faro");
      await page.keyboard.press("Enter");
      await page.getByText("three hotels in Faro").waitFor();
      await isIdle(studio);
      await keepsFocus(page);
      const all = await demo.planner.listSnapshots("time");
      expect(all.map(({ parentId }) => parentId)).toEqual([undefined, first, first]);
    });
  });

  test("answers what waits", async () => {
    await demo.planner.runText("book", { sessionId: "waiting" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/waiting"));
      const hotel = page.getByRole("region", { name: "bookHotel waits for you" });
      await tabTo(hotel.getByLabel("Approve"));
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await tabTo(hotel.getByLabel("approved"));
      await page.keyboard.press("y");
      await tabTo(hotel.getByRole("button", { name: "Answer" }));
      await page.keyboard.press("Enter");
      await answersTheRest(studio);
      await studio.sees(/I heard: b1=\{"approved":true\} and b2=\{"euros":700\}/);
      await isIdle(studio);
      await keepsFocus(page);
    });
  });

  test("approves what waits, and denies", async () => {
    await demo.planner.runText("book", { sessionId: "again" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/again"));
      const hotel = page.getByRole("region", { name: "bookHotel waits for you" });
      await tabTo(hotel.getByLabel("Approve"));
      await page.keyboard.press("ArrowDown");
      await tabTo(hotel.getByLabel("Reason"));
      await page.keyboard.type("Too dear.");
      await tabTo(hotel.getByRole("button", { name: "Deny" }));
      await page.keyboard.press("Enter");
      await studio.sees("Denied. The tool does not run");
      await tabTo(hotel.getByRole("button", { name: "Change" }));
      await page.keyboard.press("Enter");
      await tabTo(hotel.getByLabel("Deny"));
      await page.keyboard.press("ArrowUp");
      await tabTo(hotel.getByRole("button", { name: "Approve" }));
      await page.keyboard.press("Enter");
      await keepsFocus(page);
      await answersTheRest(studio);
      await studio.sees(/I heard: b2=\{"euros":700\} and b1=.*"nights":4/);
      await isIdle(studio);
      await keepsFocus(page);
    });
  });

  test("fits where everything is twice as large", async () => {
    await demo.planner.runText("book", { sessionId: "narrow" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await page.setViewportSize({ width: 720, height: 450 });
      for (const [path, ready] of SCREENS) {
        await studio.goto(demo.url(path));
        await studio.sees(ready);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect([path, width]).toEqual([path, 720]);
      }
    });
  });
});
