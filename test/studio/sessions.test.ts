import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { nextMillisecond } from "../reflection/reflecting.ts";
import { type Demo, startDemo } from "./demo.ts";
import { downloaded, inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("sessions in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    const ids = Array.from({ length: 260 }, (_, index) => `trip-${index}`);
    await demo.research.runText("one in Lisbon", { sessionId: "eldest" });
    for (const sessionId of ids) {
      await nextMillisecond();
      await demo.research.runText("book", { sessionId });
    }
    await nextMillisecond();
    await demo.research.runText("two in Porto", { sessionId: "eldest" });
    await demo.research.label("trip-7", { about: { title: "The seventh trip", tags: ["rare"] } });
    await demo.planner.runText("hello", { sessionId: "trip-elsewhere" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("are found on the server, by what stands in the address", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/sessions"));
      const rows = page.getByRole("row");
      await page.locator("[data-session]").first().waitFor();
      expect(await rows.count()).toBeLessThanOrEqual(60);
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press("/");
      await page.keyboard.type("seventh");
      await studio.sees("1 found");
      await page.getByRole("link", { name: "The seventh trip" }).waitFor();
      await expect.poll(() => page.url()).toContain("q=seventh");
      await page.getByRole("link", { name: "The seventh trip" }).click();
      await studio.hasHeading("The seventh trip");
      await page.goBack();
      await studio.sees("1 found");
      await studio.goto(demo.url("/sessions?agent=research&status=interrupted"));
      await page.locator("[data-session]").first().waitFor();
      const grid = page.getByRole("grid");
      await expect
        .poll(async () => {
          await grid.hover();
          await page.mouse.wheel(0, 8000);
          return page.getByText("260 found").count();
        }, WAIT)
        .toBe(1);
      expect(await rows.count()).toBeLessThanOrEqual(60);
      await studio.goto(demo.url("/sessions?status=failed"));
      await studio.sees("No session matches.");
      await studio.click("Clear filters");
      await page.locator("[data-session]").first().waitFor();
    });
  });

  test("are put in the order of their making, once all of them were asked for", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      const sees = (row: number, name: string): Promise<void> =>
        page
          .locator(`[aria-rowindex="${row + 1}"]`)
          .getByRole("link", { name, exact: true })
          .waitFor();
      await studio.goto(demo.url("/agents/research/sessions"));
      await sees(1, "eldest");
      await sees(2, "trip-259");
      const order = page.getByRole("combobox", { name: "Order" });
      await order.selectOption("first created first");
      await studio.sees("261 found");
      await sees(1, "eldest");
      await sees(2, "trip-0");
      await page.getByRole("columnheader", { name: "Created" }).waitFor();
      await order.selectOption("last created first");
      await sees(1, "trip-259");
      await expect.poll(() => new URL(page.url()).searchParams.get("sort")).toBe("created-desc");
      await page.reload();
      await studio.sees("261 found");
      await sees(1, "trip-259");
      await order.selectOption("last updated first");
      await sees(1, "eldest");
    });
  });

  test("are found by what was said in them, when that is asked for", async () => {
    await demo.planner.runText("somewhere in Guimarães", { sessionId: "hidden" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions?q=guimarães"));
      await studio.sees("what was said is searched with");
      await page.getByRole("checkbox", { name: "also in messages" }).check();
      await page.locator('[data-session="hidden"]').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get("in")).toBe("messages");
      await page.reload();
      await studio.sees("1 found");
      // Nowhere in the 261 of the other agent, though all of them are read.
      await studio.goto(demo.url("/agents/research/sessions?q=guimarães&in=messages"));
      await studio.sees("the texts of the messages up to each head");
    });
  });

  // Everything but ids and times.
  async function shapeOf(sessionId: string): Promise<readonly unknown[]> {
    const all = await demo.planner.listSnapshots(sessionId);
    const ids = all.map(({ snapshotId }) => snapshotId);
    return await Promise.all(
      all.map(async ({ snapshotId, parentId = "" }) => {
        const { status, finishReason, usage, state } = await demo.planner.getSnapshot(snapshotId);
        const { sessionId: _, ...content } = state ?? {};
        return { parent: ids.indexOf(parentId), status, finishReason, usage, content };
      }),
    );
  }

  test("are exported, deleted by many, and imported again", async () => {
    const sessionId = "branched";
    const { snapshotId: first = "" } = await demo.planner.runText("one in Faro", { sessionId });
    await demo.planner.runText("write plan.txt sea", { sessionId });
    await demo.planner.runText("book it", { snapshotId: first });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/branched"));
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Export" }).click(),
      ]);
      const file = {
        name: "branched.ndjson",
        mimeType: "application/x-ndjson",
        buffer: Buffer.from(await downloaded(download)),
      };
      await studio.goto(demo.url("/agents/research/sessions?q=trip-2"));
      await page.locator("[data-session]").first().waitFor();
      await page.getByLabel("Select all that are loaded").check();
      const chosen = Number(
        /(\d+)/.exec(await page.getByText(/sessions selected/).innerText())?.[1],
      );
      expect(chosen).toBeGreaterThan(20);
      await studio.click("Delete…");
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
      await expect.poll(() => confirm.isDisabled()).toBe(true);
      await page.getByLabel(/^Type \d+ to go on/).fill(String(chosen));
      await confirm.click();
      await studio.sees("No session matches.");
      await studio.goto(demo.url("/agents/planner/sessions"));
      await page.getByLabel("Session file").setInputFiles(file);
      await page.waitForURL(/\/sessions\/[^/?]+$/);
      await studio.sees("Shall I book it for €512?");
      const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
      expect(id).not.toBe(sessionId);
      const [copy, original] = [await shapeOf(id), await shapeOf(sessionId)];
      expect(copy).toEqual(original);
      expect(copy).toMatchObject([{ parent: -1 }, { parent: 0 }, { parent: 0 }]);
      const ids = async (): Promise<readonly string[]> =>
        (await demo.planner.listSessions()).sessions.map((one) => one.sessionId);
      const before = await ids();
      // Broken after a good beginning.
      const broken = {
        ...file,
        name: "broken.ndjson",
        buffer: Buffer.from(`${file.buffer.toString().slice(0, -40)}\n`),
      };
      studio.expected.add(400);
      await studio.goto(demo.url("/agents/planner/sessions"));
      await page.getByLabel("Session file").setInputFiles(broken);
      await studio.sees("The file was not imported");
      expect(await ids()).toEqual(before);
    });
  });
});
