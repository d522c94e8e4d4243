import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { seedMany } from "./seed-many.ts";
import { inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

const SESSIONS = 10_000;
const GRID = `document.querySelector("[role=grid]")`;

describe("ten thousand sessions in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await seedMany(demo, SESSIONS);
    await demo.research.label("trip-7777", { about: { title: "The rare one" } });
  }, UNHURRIED.timeout);
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("are gone through to their end, and found again where they were left", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const rows = page.locator("[data-session]");
      await studio.goto(demo.url("/agents/research/sessions?status=interrupted"));
      await rows.first().waitFor();
      const scroll = (share: number): Promise<unknown> =>
        page.evaluate(`${GRID}.scrollTop = ${GRID}.scrollHeight * ${share}`);
      const scrolledTo = (): Promise<unknown> => page.evaluate(`${GRID}.scrollTop`);
      await expect
        .poll(
          async () => {
            await scroll(1);
            return page.getByText(/^10\s000 found$/).count();
          },
          { ...WAIT, timeout: UNHURRIED.timeout },
        )
        .toBe(1);
      expect(await rows.count()).toBeLessThanOrEqual(60);
      await scroll(0.5);
      const middle = page.locator(`[aria-rowindex="${SESSIONS / 2 + 10}"]`).getByRole("link");
      await middle.waitFor();
      const [before, name] = [await scrolledTo(), await middle.innerText()];
      await middle.click();
      await studio.hasHeading(name);
      await page.goBack();
      await middle.waitFor();
      await expect.poll(scrolledTo).toBe(before);
      expect(await middle.innerText()).toBe(name);
      await scroll(0);
      const first = page.locator('[aria-rowindex="2"]');
      await first.getByRole("link", { name: "trip-" }).waitFor();
      await page.getByRole("combobox", { name: "Order" }).selectOption("first created first");
      await first.getByRole("link", { name: "eldest" }).waitFor();
      await page.getByText(/^10\s000 found$/).waitFor();
      expect(await rows.count()).toBeLessThanOrEqual(60);
    });
  });

  test("are found by name, by the server", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/sessions"));
      await page.locator("[data-session]").first().waitFor();
      await page.getByRole("searchbox").fill("rare one");
      await studio.sees("1 found");
      await page.waitForURL(/q=/);
      const address = page.url();
      const other = await page.context().newPage();
      await other.goto(address);
      await other.getByText("1 found").waitFor();
      await expect.poll(() => other.locator("[data-session]").count()).toBe(1);
      await other.getByRole("link", { name: "The rare one" }).waitFor();
    });
  });
});
