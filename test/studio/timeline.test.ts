import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeScale } from "../../studio/timeline/time-scale.ts";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("the timeline of a session", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  const ids: string[] = [];

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    for (const text of ["hello", "fail now", "book it"]) {
      const { snapshotId } = await demo.planner.runText(text, { sessionId: "timed" });
      ids.push(snapshotId ?? "");
    }
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("shows each turn with its status, and leads to its snapshot", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/timed"));
      await studio.sees("Shall I book it");
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press("l");
      await studio.hasHeading("Timeline");
      const turns = page.getByRole("listbox", { name: "Turns, the first begun first" });
      await expect.poll(() => turns.getByRole("option").count(), WAIT).toBe(3);
      await turns.getByText("Failed").waitFor();
      await turns.getByText("Waiting for you").waitFor();
      await studio.sees(/^session .* · 3 turns · .* in all · 658 tokens$/);
      await turns.focus();
      await page.keyboard.press("Home");
      await expect.poll(() => new URL(page.url()).searchParams.get("snap"), WAIT).toBe(ids[0]);
      await page.getByRole("combobox", { name: "Scale" }).selectOption("time");
      await page.reload();
      await turns.locator(`[data-snapshot="${ids[0]}"][aria-selected="true"]`).waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get("scale")).toBe("time");
      await page.getByRole("link", { name: "Open the snapshot" }).click();
      await studio.sees("Sending starts a new branch.");
    });
  });

  test("says so when there is no such session", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      studio.expected.add(404);
      await studio.goto(demo.url("/agents/planner/sessions/nobody/timeline"));
      await studio.page.getByRole("alert").getByText("could not be loaded").waitFor();
    });
  });
});

test("pauses are cut short, and turns keep their share", () => {
  const day = 86_400_000;
  const spans = [
    { from: 0, to: 100 },
    { from: 50, to: 200 },
    { from: day, to: day + 200 },
  ];
  const place = timeScale(spans, { cutsPauses: true });
  expect([0, 200, day, day + 200].map(place)).toEqual([0, 0.4, 0.6, 1]);
  const plain = timeScale(spans, { cutsPauses: false });
  expect(plain(200)).toBeLessThan(0.001);
  expect(timeScale([{ from: 5, to: 5 }], { cutsPauses: true })(5)).toBe(0);
});
