import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { barriersIn } from "./barriers.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED } from "./watched-page.ts";

describe("the Studio, opened", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("trades the token of the link for a cookie, and takes it out of the address", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      await expect.poll(() => studio.page.url()).toBe(demo.url("/agents"));
      await studio.sees("Plans trips and books hotels");
      const cookies = await studio.page.context().cookies(demo.url("/"));
      expect(cookies).toMatchObject([
        {
          name: `turnkeep-studio-${demo.port}`,
          httpOnly: true,
          sameSite: "Strict",
          path: "/studio",
        },
      ]);
      await studio.page.reload();
      await studio.hasHeading("Agents");
      expect(await studio.page.evaluate("document.cookie")).toBe("");
    });
  });

  test("asks for the token where there is none, and says when it is wrong", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(demo.url("/sessions"));
    await page.getByRole("heading", { name: "This Studio is locked" }).waitFor();
    expect(await barriersIn(page)).toEqual([]);
    await page.getByLabel("Link or token").fill("0".repeat(64));
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("alert").getByText("not the token").waitFor();
    await page.getByLabel("Link or token").fill(demo.link);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await context.close();
  });

  test("shows an agent's tools and schemas", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      await studio.page.getByRole("link", { name: "planner" }).click();
      await studio.hasHeading("planner");
      await studio.page.getByRole("tab", { name: "Tools (3)" }).click();
      await studio.sees("Books a hotel. Asks first.");
      await expect.poll(() => studio.page.url()).toContain("tab=tools");
      await studio.page.reload();
      await studio.sees("Books a hotel. Asks first.");
      await studio.page.getByRole("tab", { name: "Schemas" }).click();
      await studio.sees("The agent's own state, kept with every snapshot.");
    });
  });
});
