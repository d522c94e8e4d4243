import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED } from "./watched-page.ts";

describe("the history of an artifact", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  const ids: string[] = [];

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    const texts = ["write plan.txt sea", "hello", "write plan.txt river", "write other.txt x"];
    for (const text of texts) {
      const { snapshotId } = await demo.planner.runText(text, { sessionId: "drafts" });
      ids.push(snapshotId ?? "");
    }
    // On another branch, which is none of this one's history.
    await demo.planner.runText("write plan.txt desert", { snapshotId: ids[0] ?? "" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("shows each version and what it changed, along its own branch", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const path = `/agents/planner/sessions/drafts?snap=${ids[3]}&panel=artifacts&art=plan.txt`;
      await studio.goto(demo.url(path));
      await page.locator(".cm-line").getByText("river").waitFor();
      await page.getByRole("link", { name: "History" }).click();
      await studio.hasHeading("plan.txt");
      await studio.sees("2 versions");
      await page.locator(".cm-line").getByText("river").waitFor();
      await page.keyboard.press("d");
      await page.locator(".cm-changedLine").getByText("sea").waitFor();
      await page.keyboard.press("j");
      await studio.sees("This is the first version.");
      await page.keyboard.press("d");
      await page.locator(".cm-line").getByText("sea").waitFor();
      await page.waitForURL(({ searchParams }) => searchParams.get("version") === ids[0]);
      await page.reload();
      await page.locator(".cm-line").getByText("sea").waitFor();
      await page.getByRole("link", { name: "Back to the session" }).click();
      await page.locator(".cm-line").getByText("river").waitFor();
    });
  });

  test("says so when there is none", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const at = "/agents/planner/sessions/drafts/artifact";
      await studio.goto(demo.url(`${at}?art=nothing.txt&snap=${ids[3]}`));
      await studio.sees("No snapshot of this branch has an artifact of this name.");
      await studio.goto(demo.url(at));
      await studio.sees("Choose an artifact.");
      studio.expected.add(404);
      await studio.goto(demo.url(`${at}?art=plan.txt&snap=drafts.nothing`));
      await studio.page.getByRole("alert").getByText("could not be loaded").waitFor();
    });
  });
});
