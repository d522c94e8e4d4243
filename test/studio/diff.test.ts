import type { Browser } from "playwright-core";
import { applyPatch } from "turnkeep/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("the diff of two snapshots", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  let ids: readonly [string, string, string];

  // Two branches behind a first turn: one that wrote, one that changed the state.
  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    const sessionId = "diffs";
    const { planner } = demo;
    const first = await planner.runText("write plan.md sea river castle", { sessionId });
    const second = await planner.runText("write plan.md sea bridge castle", { sessionId });
    const third = await planner.runText("state", { snapshotId: first.snapshotId ?? "" });
    ids = [first.snapshotId ?? "", second.snapshotId ?? "", third.snapshotId ?? ""];
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("is reached from the tree by keyboard, and says it all in its address", async () => {
    const [, second, third] = ids;
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url(`/agents/planner/sessions/diffs?snap=${second}`));
      await studio.sees("I wrote plan.md.");
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press("m");
      await page.getByText("marked", { exact: true }).waitFor();
      await page.locator(`[data-snapshot="${third}"]`).click();
      await studio.sees("five times");
      await page.keyboard.press("d");
      await studio.hasHeading("Diff");
      await page.waitForURL(({ searchParams }) => searchParams.get("from") === second);
      expect(new URL(page.url()).searchParams.get("to")).toBe(third);
      const diff = await demo.planner.diff(second, third);
      const state = page.getByRole("region", { name: "State" });
      await state.getByRole("listitem").first().waitFor();
      await expect.poll(() => state.getByRole("listitem").count()).toBe(diff.custom.length);
      const [before, after] = await Promise.all(
        [second, third].map((id) => demo.planner.getSnapshot(id)),
      );
      const old = JSON.parse(JSON.stringify(before?.state?.custom ?? null));
      expect(applyPatch(old, diff.custom)).toEqual(after?.state?.custom);
      await studio.sees("2 in common · 2 removed · 2 added");
      await page.getByRole("region", { name: "Artifacts" }).getByText("1 change").waitFor();
      await page.keyboard.press("s");
      await expect.poll(() => new URL(page.url()).searchParams.get("from"), WAIT).toBe(third);
      await page.reload();
      await state.getByRole("listitem").first().waitFor();
      const table = page.getByRole("table", { name: "The two snapshots" });
      await table
        .getByRole("row", { name: /Tokens of the turn/ })
        .getByText("(20 in, 3 out)")
        .waitFor();
    });
  });

  test("shows a changed artifact line by line, and only what is asked for", async () => {
    const [first, second] = ids;
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const path = `/agents/planner/sessions/diffs/diff?from=${first}&to=${second}`;
      await studio.goto(demo.url(path));
      const artifacts = page.getByRole("region", { name: "Artifacts" });
      await artifacts.locator(".cm-changedLine").getByText("bridge").waitFor();
      await artifacts.locator(".cm-changedLine").getByText("river").waitFor();
      await page.getByRole("combobox", { name: "Compare" }).selectOption("artifacts");
      await page.getByRole("region", { name: "Messages" }).waitFor({ state: "detached" });
      await expect.poll(() => new URL(page.url()).searchParams.get("scope")).toBe("artifacts");
      await artifacts.getByRole("link", { name: "plan.md" }).click();
      await studio.hasHeading("diffs");
      await page.getByRole("heading", { name: "plan.md" }).waitFor();
    });
  });

  test("asks for two snapshots, and says so when there is none of the name", async () => {
    const [first] = ids;
    await inStudio({ browser, demo }, async (studio) => {
      studio.expected.add(404);
      await studio.goto(demo.url("/agents/planner/sessions/diffs/diff"));
      await studio.sees("Choose two snapshots.");
      await studio.goto(
        demo.url(`/agents/planner/sessions/diffs/diff?from=${first}&to=diffs.nothing`),
      );
      await studio.page.getByRole("alert").getByText("could not be compared").waitFor();
    });
  });
});
