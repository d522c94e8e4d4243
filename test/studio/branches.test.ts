import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, isIdle, UNHURRIED, WAIT, type WatchedPage } from "./watched-page.ts";

describe("time travel in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  async function twoTurns(sessionId: string): Promise<readonly [string, string]> {
    const first = await demo.planner.runText("one in Lisbon", { sessionId });
    const second = await demo.planner.runText("two in Porto", { sessionId });
    return [first.snapshotId ?? "", second.snapshotId ?? ""];
  }

  function open(studio: WatchedPage, sessionId: string, search = ""): Promise<void> {
    return studio.goto(demo.url(`/agents/planner/sessions/${sessionId}${search}`));
  }

  test("shows what was at an old snapshot, and comes back to the head", async () => {
    const [first] = await twoTurns("travel");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await open(studio, "travel");
      await page.getByText("three hotels in Porto").waitFor();
      await page.locator(`[data-snapshot="${first}"]`).click();
      await studio.sees("Sending starts a new branch.");
      await page.getByText("three hotels in Lisbon").waitFor();
      await page.getByText("three hotels in Porto").waitFor({ state: "detached" });
      await page.getByTestId("state").getByText("“Lisbon”").waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get("snap")).toBe(first);
      await page.reload();
      await studio.sees("Sending starts a new branch.");
      await studio.click("Back to head");
      await page.getByText("three hotels in Porto").waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get("snap")).toBeNull();
    });
  });

  test("shows the artifacts of that time", async () => {
    const sessionId = "papers";
    const { snapshotId: first } = await demo.planner.runText("write plan.txt old", { sessionId });
    await demo.planner.runText("write plan.txt new", { sessionId });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await open(studio, sessionId, "?panel=artifacts&art=plan.txt");
      await page.locator(".cm-line").getByText("new").waitFor();
      await page.locator(`[data-snapshot="${first}"]`).click();
      await page.locator(".cm-line").getByText("old").waitFor();
    });
  });

  test("branches three times from one snapshot, and writes nothing before Send", async () => {
    const [first, second] = await twoTurns("branches");
    const original = await demo.planner.getSnapshot(second);
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      for (const city of ["Faro", "Braga", "Evora"]) {
        await open(studio, "branches", `?snap=${first}`);
        await studio.sees("Sending starts a new branch.");
        const before = await demo.planner.listSnapshots("branches");
        await studio.send(`another in ${city}`);
        await page.getByText(`three hotels in ${city}`).waitFor();
        await isIdle(studio);
        const after = await demo.planner.listSnapshots("branches");
        expect(after).toHaveLength(before.length + 1);
      }
      const all = await demo.planner.listSnapshots("branches");
      expect(all.filter(({ parentId }) => parentId === first)).toHaveLength(4);
      expect(await demo.planner.getSnapshot(second)).toEqual(original);
      // Each can be reached by keyboard alone.
      await page.getByRole("treeitem", { selected: true }).focus();
      const seen = new Set<string>();
      for (let at = 0; at < all.length; at += 1) {
        const chosen = page.getByRole("treeitem", { selected: true });
        seen.add((await chosen.getAttribute("data-snapshot")) ?? "");
        await page.keyboard.press("ArrowDown");
        if (at < all.length - 1) {
          await expect
            .poll(async () => seen.has((await chosen.getAttribute("data-snapshot")) ?? ""), WAIT)
            .toBe(false);
          await expect
            .poll(() => page.evaluate("document.activeElement.role"), WAIT)
            .toBe("treeitem");
        }
      }
      expect(seen.size).toBe(all.length);
    });
  });

  test("edits the state on a branch of its own, and refuses what is no state", async () => {
    const [, second] = await twoTurns("edits");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      studio.expected.add(400);
      await open(studio, "edits");
      await studio.click("Edit and continue");
      const editor = page.getByRole("textbox", { name: "State as JSON" });
      const save = page.getByRole("button", { name: "Save and continue" });
      const type = async (text: string): Promise<void> => {
        await editor.click();
        await page.keyboard.press("Control+a");
        await page.keyboard.insertText(text);
      };
      await page.locator(".cm-content").waitFor();
      await type('{"step": ');
      await page.getByRole("alert").getByText("no JSON from line 1, column 10 on").waitFor();
      await expect.poll(() => save.isDisabled()).toBe(true);
      await type('{"step": 7}');
      await save.click();
      await page.getByRole("alert").getByText('"/step"').waitFor();
      expect(await demo.planner.listSnapshots("edits")).toHaveLength(2);
      await type('{"step": "edited by hand", "visits": 40}');
      await page.getByRole("list", { name: "Changes" }).getByText("/visits").waitFor();
      await save.click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByTestId("state").getByText("“edited by hand”").waitFor();
      await studio.send("three in Faro");
      await page.getByText("three hotels in Faro").waitFor();
      await isIdle(studio);
      const all = await demo.planner.inspector.listSnapshots("edits");
      const edited = all[2];
      expect(edited).toMatchObject({ parentId: second, event: "edit" });
      const latest = await demo.planner.getLatestSnapshot("edits");
      expect(latest.parentId).toBe(edited?.snapshotId);
      expect(latest.state?.custom?.visits).toBe(41);
    });
  });

  test("edits the state into a session of its own", async () => {
    const [, second] = await twoTurns("source");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await open(studio, "source");
      await studio.click("Edit and continue");
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('{"step": "elsewhere", "visits": 7}');
      await page.getByLabel("as a new session").check();
      await studio.click("Save and continue");
      await page.waitForURL((url) => !url.pathname.endsWith("/source"));
      await page.getByTestId("state").getByText("“elsewhere”").waitFor();
      const id = decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
      expect(await demo.planner.inspector.getSession(id)).toMatchObject({
        forkedFrom: { sessionId: "source", snapshotId: second },
      });
      await studio.send("three in Faro");
      await page.getByText("three hotels in Faro").waitFor();
      await isIdle(studio);
      expect((await demo.planner.getLatestSnapshot(id)).state?.custom?.visits).toBe(8);
      expect(await demo.planner.listSnapshots("source")).toHaveLength(2);
    });
  });

  test("takes a turn again, on a branch beside it", async () => {
    const [first, second] = await twoTurns("again");
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await open(studio, "again");
      await page.getByText("three hotels in Porto").waitFor();
      await page.locator(`[data-snapshot="${second}"]`).hover();
      await page
        .locator(`[data-snapshot="${second}"]`)
        .getByRole("button", { name: "What to do with this snapshot" })
        .click();
      await page.getByRole("menuitem", { name: "Take this turn again" }).click();
      await expect.poll(() => page.getByRole("treeitem").count(), WAIT).toBe(3);
      await isIdle(studio);
      const all = await demo.planner.listSnapshots("again");
      expect(all.map(({ parentId }) => parentId)).toEqual([undefined, first, first]);
      const messages = await Promise.all(
        all
          .slice(1)
          .map(async (one) => (await demo.planner.getSnapshot(one.snapshotId)).state?.messages),
      );
      expect(messages[1]).toEqual(messages[0]);
    });
  });

  test("takes a turn again three times, and compares what came of it", async () => {
    const first = await demo.planner.runText("one in Lisbon", { sessionId: "thrice" });
    const { snapshotId: second = "" } = await demo.planner.runText("dice", { sessionId: "thrice" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await open(studio, "thrice");
      await page.getByText("I threw 1.").waitFor();
      const menuOf = async (snapshotId: string): Promise<void> => {
        const row = page.locator(`[data-snapshot="${snapshotId}"]`);
        await row.hover();
        await row.getByRole("button", { name: "What to do with this snapshot" }).click();
      };
      await menuOf(second);
      await page.getByRole("menuitem", { name: "Take it again three times" }).click();
      await expect.poll(() => page.getByRole("treeitem").count(), WAIT).toBe(5);
      await page.getByText("I threw 4.").waitFor();
      await isIdle(studio);
      const all = await demo.planner.listSnapshots("thrice");
      const { snapshotId: root } = first;
      expect(all.map(({ parentId }) => parentId)).toEqual([undefined, root, root, root, root]);
      const last = all[4]?.snapshotId ?? "";
      await menuOf(last);
      await page.getByRole("menuitem", { name: "Compare with its sibling" }).click();
      await studio.hasHeading("Diff");
      await page.waitForURL(({ searchParams }) => searchParams.get("from") === second);
      expect(new URL(page.url()).searchParams.get("to")).toBe(last);
      const sides = page.getByRole("table", { name: "The two snapshots" });
      const tokens = sides.getByRole("row", { name: /Tokens of the turn/ });
      await tokens.getByText("11 (10 in, 1 out)").waitFor();
      await tokens.getByText("14 (10 in, 4 out)").waitFor();
      const times = sides.getByRole("row", { name: /Time of the turn/ }).getByRole("cell");
      const aTime = expect.stringMatching(/\d/);
      expect(await times.allInnerTexts()).toEqual([aTime, aTime]);
      await page.getByRole("region", { name: "State" }).getByText("/dice").waitFor();
      const messages = page.getByRole("table", { name: "The messages that differ" });
      await expect
        .poll(() => messages.getByRole("row").filter({ hasText: "I threw 1." }).innerText(), WAIT)
        .toContain("I threw 4.");
      await page.goBack();
      await page.getByText("I threw 4.").waitFor();
      await page.getByRole("heading", { level: 1 }).focus();
      await page.keyboard.press("c");
      await page.waitForURL((url) => url.searchParams.get("to") === last);
      // Another of the four is one choice away.
      await page.getByRole("combobox", { name: "From" }).selectOption(all[2]?.snapshotId ?? "");
      await messages.getByText("I threw 2.").waitFor();
    });
  });

  test("forks into a session of its own", async () => {
    await twoTurns("forks");
    await inStudio({ browser, demo }, async (studio) => {
      await open(studio, "forks");
      await studio.sees("three hotels in Porto");
      await studio.page.getByRole("heading", { level: 1 }).focus();
      await studio.page.keyboard.press("f");
      await studio.click("Fork");
      await studio.page.waitForURL((url) => !url.pathname.endsWith("/forks"));
      await studio.page.getByText("three hotels in Porto").waitFor();
    });
  });
});
