import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED } from "./watched-page.ts";

const SCREENS = [
  ["/sessions", "failing"],
  ["/runs", "failing"],
  ["/agents/planner/sessions/failing", "three hotels in hello"],
] as const;

describe("a store that cannot be read, in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await demo.planner.runText("hello", { sessionId: "failing" });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await browser?.close();
    await demo?.close();
  });

  test.each(SCREENS)("is said so on %s, with what to tell who can help", async (path, text) => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      studio.expected.add(500);
      for (const call of ["load", "range", "list"] as const) {
        vi.spyOn(demo.store, call).mockRejectedValue(new Error("The disk is gone."));
      }
      await studio.goto(demo.url(path));
      const alert = page.getByRole("alert").filter({ hasText: /request \S+/ });
      await alert.waitFor();
      expect(await page.getByRole("status", { name: "Loading" }).count()).toBe(0);
      expect(await page.getByText("The disk is gone.").count()).toBe(0);
      // Some pages ask again by themselves: then there is nothing left to press.
      await alert.getByRole("button", { name: "Try again" }).focus();
      vi.restoreAllMocks();
      await page.keyboard.press("Enter");
      await studio.sees(text);
    });
  });
});
