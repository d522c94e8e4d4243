import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("the panels of a session", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await demo.planner.runText("hello", { sessionId: "wide" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  const widthOf = async (panel: Locator): Promise<number> =>
    Math.round((await panel.boundingBox())?.width ?? 0);

  test("are as wide as somebody has left them", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/wide"));
      const panels = {
        tree: page.getByRole("complementary", { name: "Snapshots" }),
        side: page.getByRole("complementary", { name: "About this snapshot" }),
      };
      const lines = {
        tree: page.getByRole("separator", { name: "Width of the snapshots" }),
        side: page.getByRole("separator", { name: "Width of the panel about this snapshot" }),
      };
      await lines.tree.waitFor();
      await expect.poll(() => widthOf(panels.tree)).toBe(240);
      await lines.tree.focus();
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => widthOf(panels.tree), WAIT).toBe(256);
      await page.keyboard.press("Home");
      await expect.poll(() => widthOf(panels.tree), WAIT).toBe(160);
      expect(await lines.tree.getAttribute("aria-valuenow")).toBe("160");
      const line = await lines.side.boundingBox();
      const [x, y] = [(line?.x ?? 0) + 2, 400];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 100, y, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => widthOf(panels.side), WAIT).toBe(516);
      await page.reload();
      await expect.poll(() => widthOf(panels.tree), WAIT).toBe(160);
      await expect.poll(() => widthOf(panels.side), WAIT).toBe(516);
      await lines.side.focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => widthOf(panels.side), WAIT).toBe(416);
    });
  });
});
