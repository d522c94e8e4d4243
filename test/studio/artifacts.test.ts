import { createHash } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { downloaded, inStudio, UNHURRIED, WAIT } from "./watched-page.ts";

describe("artifacts and traces in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await demo.planner.runText("artifacts", { sessionId: "papers" });
    await demo.planner.runText("hello", { sessionId: "traced" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("shows each kind as it is, runs nothing, and calls nobody", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/papers?panel=artifacts"));
      const list = page.getByRole("list", { name: "Artifacts" });
      const open = (name: string): Promise<void> => list.getByText(name).click();
      await page.getByRole("heading", { name: "Three days in Lisbon" }).waitFor();
      await studio.sees("not loaded from outside.example");
      await open("greetings.txt");
      await studio.sees("こんにちは 🌙 مرحبا");
      await open("booking.ts");
      await page.locator(".cm-line").getByText("Casa do Rio").waitFor();
      await open("costs.json");
      await studio.sees("“EUR”");
      await open("map.png");
      await page.getByRole("img", { name: "map.png" }).waitFor();
      const width = (): Promise<unknown> =>
        page.evaluate(`document.querySelector('img[alt="map.png"]').naturalWidth`);
      await expect.poll(width, WAIT).toBe(8);
      await open("letter.html");
      await page.frameLocator("iframe").getByText("Dear guest").waitFor();
      expect(await page.title()).not.toContain("taken over");
      // The sandbox says so of the script it did not run.
      studio.faults.splice(
        0,
        studio.faults.length,
        ...studio.faults.filter((fault) => !/sandbox/.test(fault)),
      );
      await open("greetings.txt");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download" }).click(),
      ]);
      const sha = (data: Uint8Array | string): string =>
        createHash("sha256").update(data).digest("hex");
      expect(sha(await downloaded(download))).toBe(sha("こんにちは 🌙 مرحبا\nOlá!"));
    });
  });

  test("goes from a turn to its trace, to a span, and back to the snapshot", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/traced?panel=trace"));
      await page.getByRole("link", { name: /spans?/ }).click();
      const spans = page.getByRole("listbox", { name: "Spans" }).getByRole("option");
      await spans.first().waitFor();
      expect(studio.requests.some((one) => one.includes("/spans/"))).toBe(false);
      await spans.first().click();
      await page.getByRole("tab", { name: "Attributes" }).click();
      await expect.poll(() => studio.requests.some((one) => one.includes("/spans/"))).toBe(true);
      await expect.poll(() => new URL(page.url()).searchParams.get("span")).not.toBeNull();
      await page.reload();
      await page.getByRole("tab", { name: "Attributes" }).waitFor();
      await page.getByRole("link", { name: "Open the snapshot" }).click();
      await studio.sees("three hotels in hello");
      await page.goBack();
      await page.getByRole("tab", { name: "Attributes" }).waitFor();
    });
  });

  test("says why there is no trace", async () => {
    const lines: string[] = [];
    for await (const line of demo.planner.exportSession("traced")) lines.push(line.trim());
    await demo.planner.importSession("copied", lines);
    await inStudio({ browser, demo }, async (studio) => {
      await studio.goto(demo.url("/agents/planner/sessions/copied?panel=trace"));
      await studio.sees("It was not sampled, was made by another process");
    });
    const untraced = await startDemo({ isTraced: false });
    await untraced.planner.runText("hello", { sessionId: "untraced" });
    await inStudio({ browser, demo: untraced }, async (studio) => {
      for (const path of ["/traces", "/agents/planner/sessions/untraced?panel=trace"]) {
        await studio.goto(untraced.url(path));
        await studio.sees("No traces are collected.");
      }
    });
    await untraced.close();
  });
});
