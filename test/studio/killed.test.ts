import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { childrenOf } from "../support/run-child.ts";
import { barriersIn } from "./barriers.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, isIdle, UNHURRIED, WAIT } from "./watched-page.ts";

const { startChild } = childrenOf(new URL("worker-process.ts", import.meta.url));

describe("a worker that was killed, in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "studio-killed-"));
    const database = join(folder, "sessions.db");
    [browser, demo] = await Promise.all([openBrowser(), startDemo({ database })]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("is told of, and its turn is ended by another", async () => {
    const database = join(folder, "sessions.db");
    const begun = startChild(database, "doomed", "begin");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const row = page.getByRole("row").filter({ hasText: "doomed" });
      await studio.goto(demo.url("/runs"));
      await row.getByRole("link", { name: "Attach" }).click();
      await page.getByTestId("live-turn").getByText("tick 0").waitFor();
      begun.kill("SIGKILL");
      await studio.goto(demo.url("/runs?status=expired"));
      await row.getByText("Expired").waitFor();
      await row.getByRole("link", { name: "Open", exact: true }).waitFor();
      await studio.goto(demo.url("/sessions?status=expired"));
      await page.getByRole("link", { name: "doomed" }).click();
      await studio.sees("Expired");
      const card = page.getByRole("alert");
      await card.getByText("no good one is before it").waitFor();
      await card.getByRole("button", { name: "End this turn" }).waitFor();
      const other = startChild(database, "doomed", "end");
      try {
        await studio.sees("That took a while.");
        await page.locator("header").getByText("Expired").waitFor({ state: "detached" });
        await studio.goto(demo.url("/runs"));
        await row.getByText("Done").waitFor();
      } finally {
        other.kill("SIGKILL");
      }
    });
  });

  test("is gone on without, from the last good one", async () => {
    const first = await demo.planner.runText("one in Lisbon", { sessionId: "stranded" });
    const begun = startChild(join(folder, "sessions.db"), "stranded", "begin");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const row = page.getByRole("row").filter({ hasText: "stranded" });
      const beats = heartbeatsIn(page);
      await studio.goto(demo.url("/runs?status=running"));
      // Its worker is alive, and the page sees that by itself.
      await expect.poll(() => beats.size, WAIT).toBeGreaterThan(1);
      await row.getByRole("link", { name: "Attach" }).click();
      await page.getByTestId("live-turn").getByText("tick 0").waitFor();
      begun.kill("SIGKILL");
      await studio.goto(demo.url("/runs?status=expired"));
      await row.getByRole("link", { name: "Open last good" }).click();
      await studio.sees("three hotels in Lisbon");
      await page.getByRole("alert").getByText("went silent").waitFor();
      expect(await barriersIn(page)).toEqual([]);
      await studio.click("Go on from the last good one");
      await page.locator("header").getByText("Expired").waitFor({ state: "detached" });
      await isIdle(studio);
      await studio.send("two in Porto");
      await studio.sees("three hotels in Porto");
      await isIdle(studio);
      const [, lost, second] = await demo.planner.listSnapshots("stranded");
      expect(lost).toMatchObject({ status: "aborted", parentId: first.snapshotId });
      expect(second).toMatchObject({ status: "completed", parentId: first.snapshotId });
    });
  });
});

// The times that the page was told while it stayed where it is.
function heartbeatsIn(page: Page): ReadonlySet<number> {
  const beats = new Set<number>();
  const note = async (response: Response): Promise<void> => {
    const { runs }: { runs: readonly { heartbeatAt: number }[] } = await response.json();
    for (const { heartbeatAt } of runs) beats.add(heartbeatAt);
  };
  page.on("response", (response) => {
    if (!response.url().includes("/api/runs?")) return;
    // The body is gone when the page went elsewhere meanwhile.
    void note(response).catch(() => {});
  });
  return beats;
}
