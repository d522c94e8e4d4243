import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { letPass } from "./turnstile.ts";
import { inStudio, isIdle, UNHURRIED, WAIT, type WatchedPage } from "./watched-page.ts";

describe("a conversation in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  async function talk(studio: WatchedPage, text: string, agent = "planner"): Promise<string> {
    await studio.goto(demo.url(`/agents/${agent}/new`));
    await studio.send(text);
    await studio.page.waitForURL(/\/sessions\//);
    return decodeURIComponent(/sessions\/([^?/]+)/.exec(studio.page.url())?.[1] ?? "");
  }

  test("streams a first answer, and then has an address of its own", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const sessionId = await talk(studio, "lines 20 10 first");
      await studio.page.getByRole("button", { name: "Stop" }).waitFor();
      await studio.sees("Line 10 of 20.");
      expect(await studio.page.getByText("Line 11 of 20.").count()).toBe(0);
      letPass("first");
      await studio.sees("Line 20 of 20.");
      await isIdle(studio);
      await studio.send("somewhere quiet in Lisbon");
      await studio.sees("Casa do Rio");
      await isIdle(studio);
      const turnLine = studio.page.getByText("508 tokens", { exact: true }).locator("..");
      expect(await turnLine.innerText()).toMatch(/\d m?s/);
      await studio.page.getByRole("cell", { name: "€128" }).waitFor();
      expect((await demo.planner.getLatestSnapshot(sessionId)).finishReason).toBe("stop");
      await studio.send("and in Porto");
      await studio.page.getByText("three hotels in Porto").waitFor();
      await isIdle(studio);
      await expect.poll(() => studio.page.getByRole("treeitem").count()).toBe(3);
    });
  });

  test("goes on after a reload in the middle of an answer, with nothing lost or doubled", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const sessionId = await talk(studio, "lines 60 30 reload");
      await studio.sees("Line 30 of 60.");
      await studio.page.reload();
      await studio.sees("Line 1 of 60.");
      await studio.sees("Line 30 of 60.");
      await studio.sees("lines 60 30 reload");
      letPass("reload");
      await studio.sees("Line 60 of 60.");
      await isIdle(studio);
      const seventh = studio.page.getByText("Line 7 of 60.", { exact: true });
      await expect.poll(() => seventh.count(), WAIT).toBe(1);
      expect(await demo.planner.listSnapshots(sessionId)).toHaveLength(1);
    });
  });

  test("leaves the page where its reader is while text comes in", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      await talk(studio, "lines 300 100 scroll");
      // Laid out, that is: until then all lines are one text.
      await studio.page.getByText("Line 100 of 300.", { exact: true }).waitFor();
      const measure = (what: string): Promise<number> =>
        studio.page.evaluate(`document.querySelector("[role=log]").${what}`);
      const place = (): Promise<number> => measure("scrollTop");
      const rest = async (): Promise<number> =>
        (await measure("scrollHeight")) - (await place()) - (await measure("clientHeight"));
      await expect.poll(rest, WAIT).toBeLessThan(5);
      const before = (await place()) - 600;
      await studio.page.getByRole("log").hover();
      await studio.page.mouse.wheel(0, -600);
      await studio.page.getByRole("button", { name: "New text" }).waitFor();
      await expect.poll(place, WAIT).toBe(before);
      const height = await measure("scrollHeight");
      letPass("scroll");
      await expect.poll(() => measure("scrollHeight"), WAIT).toBeGreaterThan(height + 800);
      expect(await place()).toBe(before);
      await studio.click("New text");
      letPass("scroll");
      await studio.page.getByText("Line 300 of 300.").waitFor();
      await isIdle(studio);
      await expect.poll(rest, WAIT).toBeLessThan(5);
    });
  });

  test("opens at its end, with what waits in sight", async () => {
    const sessionId = "ended";
    for (const text of ["one in Lisbon", "two in Porto", "book"]) {
      await demo.planner.runText(text, { sessionId });
    }
    await inStudio({ browser, demo }, async (studio) => {
      await studio.goto(demo.url(`/agents/planner/sessions/${sessionId}`));
      await studio.sees("askBudget waits for you");
      await studio.page.getByText("three hotels in Porto").waitFor();
      const rest = (): Promise<number> =>
        studio.page.evaluate(
          `{ const { scrollHeight, scrollTop, clientHeight } = document.querySelector("[role=log]"); scrollHeight - scrollTop - clientHeight }`,
        );
      await expect.poll(rest, WAIT).toBeLessThan(80);
    });
  });

  test("stops an answer, and goes on talking", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      await talk(studio, "slow stopped");
      await studio.sees("tick 0");
      await studio.click("Stop");
      await isIdle(studio);
      await studio.sees("This turn was stopped.");
    });
  });

  test("tells how a turn failed, keeps what is typed, and goes on from the last good one", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const sessionId = await talk(studio, "hello");
      await isIdle(studio);
      await studio.send("fail please");
      await studio.sees("This turn failed.");
      await studio.page.getByRole("textbox", { name: "Message" }).fill("not sent yet");
      await studio.page.reload();
      await studio.sees("This turn failed.");
      const box = studio.page.getByRole("textbox", { name: "Message" });
      expect(await box.inputValue()).toBe("not sent yet");
      await studio.click("Go on from the last good one");
      await studio.sees("Sending starts a new branch.");
      await studio.send("once more in Porto");
      await studio.sees("three hotels in Porto");
      await isIdle(studio);
      const [good, failed, again] = await demo.planner.listSnapshots(sessionId);
      expect([failed?.status, failed?.parentId]).toEqual(["failed", good?.snapshotId]);
      expect([again?.status, again?.parentId]).toEqual(["completed", good?.snapshotId]);
    });
  });

  test("talks to an agent that keeps nothing", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      await studio.goto(demo.url("/agents/weather/new"));
      await studio.send("how is it?");
      await studio.page.getByLabel("Message 2, Agent").waitFor();
      await studio.send("and tomorrow?");
      await studio.page.getByLabel("Message 4, Agent").waitFor();
      await studio.page.reload();
      await studio.page.getByLabel("Message 4, Agent").waitFor();
    });
  });
});
