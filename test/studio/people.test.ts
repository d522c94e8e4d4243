import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { barriersIn } from "./barriers.ts";
import { type Demo, startDemo } from "./demo.ts";
import { seed } from "./seed.ts";
import { inStudio, isIdle, UNHURRIED, WAIT, WatchedPage } from "./watched-page.ts";

const SCREENS: readonly (readonly [path: string, ready: string])[] = [
  ["/agents", "Plans trips"],
  ["/agents/planner", "Plans trips"],
  ["/agents/planner?tab=tools", "Books a hotel"],
  ["/agents/planner?tab=schemas", "What one turn is given."],
  ["/agents/planner/new", "A new conversation"],
  ["/sessions", "Trip to Lisbon in May"],
  ["/agents/planner/sessions?sort=created-asc", "Trip to Lisbon in May"],
  ["/agents/planner/sessions/lisbon", "Shall I book it for"],
  ["/agents/planner/sessions/lisbon-files?panel=artifacts", "Alfama"],
  ["/agents/planner/sessions/lisbon-files?panel=artifacts&art=booking.ts", "export"],
  ["/agents/planner/sessions/broken?panel=details", "This turn failed."],
  ["/agents/planner/sessions/lisbon/timeline", "5 turns"],
  ["/agents/planner/sessions/drafts/raw", "snapshotId"],
  ["/open?id=nothing", "Nothing has this id."],
  ["/runs", "Attach"],
  ["/traces", "planner"],
  ["/stats?range=1h", "Error rate"],
  ["/settings", "Single letters"],
];

describe("the Studio, for everybody", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;
  let screens: readonly (readonly [path: string, ready: string])[];

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
    await seed(demo);
    const idsOf = async (sessionId: string): Promise<readonly string[]> =>
      (await demo.planner.listSnapshots(sessionId)).map(({ snapshotId }) => snapshotId);
    const [first, , third, fourth] = await idsOf("drafts");
    const [, sibling, other] = await idsOf("lisbon");
    const { traceId, root } = longestTrace(demo);
    screens = [
      ...SCREENS,
      [`/agents/planner/sessions/drafts/diff?from=${first}&to=${third}`, "by-tram"],
      [`/agents/planner/sessions/lisbon/diff?from=${sibling}&to=${other}`, "hotels in Cascais"],
      [`/traces/${traceId}?span=${root}`, "Attributes"],
      [`/agents/planner/sessions/drafts/artifact?art=plan.md&snap=${fourth}`, "3 versions"],
    ];
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("has no barrier, in the light theme and in the dark one", async () => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      locale: "en-US",
    });
    const page = await WatchedPage.open(context, demo.origin);
    await page.goto(demo.link);
    await page.hasHeading("Agents");
    const found: string[] = [];
    for (const [path, ready] of screens) {
      await page.goto(demo.url(path));
      await page.sees(ready);
      found.push(...(await barriersIn(page.page)).map((one) => `${path} ${one}`));
    }
    await context.close();
    expect(found).toEqual([]);
    expect(page.faults).toEqual([]);
  });

  test("is used by keyboard alone", async () => {
    await inStudio({ browser, demo }, async ({ page, ...studio }) => {
      const { keyboard } = page;
      await keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
      await keyboard.type("talk to planner");
      await keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Talk to planner" }).waitFor();
      await page.getByRole("textbox", { name: "Message" }).focus();
      await keyboard.type("a place in Rome");
      await keyboard.press("Enter");
      await page.getByText("three hotels in Rome").waitFor();
      await isIdle({ page, ...studio } as WatchedPage);
      await page.getByRole("heading", { level: 1 }).focus();
      await keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      // Two keys in a row: again, where the machine was too slow to press them so.
      await expect
        .poll(async () => {
          await keyboard.press("g");
          await keyboard.press("s");
          return page.url();
        }, WAIT)
        .toMatch(/\/sessions$/);
      await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
      await page.locator("[data-session]").first().waitFor();
      await keyboard.press("j");
      await keyboard.press("x");
      await page.getByText("1 session selected").waitFor();
      await keyboard.press("Enter");
      await page.waitForURL(/agents\/.+\/sessions\/.+/);
    });
  });

  test("moves nothing for whoever asked for that", async () => {
    const movesWith = async (reducedMotion: "reduce" | "no-preference"): Promise<number> => {
      const context = await browser.newContext({ reducedMotion, locale: "en-US" });
      const { page, ...studio } = await WatchedPage.open(context, demo.origin);
      await page.goto(demo.link);
      await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      await page.goto(demo.url("/runs?status=running"));
      await page.getByRole("cell", { name: "Running" }).waitFor();
      const moving = await page.evaluate<number>("document.getAnimations().length");
      expect(studio.faults).toEqual([]);
      await context.close();
      return moving;
    };
    expect(await movesWith("reduce")).toBe(0);
    expect(await movesWith("no-preference")).toBeGreaterThan(0);
  });

  test("answers though ten tabs are open", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const context = studio.page.context();
      for (let tab = 0; tab < 10; tab += 1) {
        const page = await context.newPage();
        await page.goto(demo.url("/agents/research/sessions/quantum-report"));
        await page.getByRole("heading", { level: 1 }).waitFor();
      }
      const eleventh = await context.newPage();
      await eleventh.goto(demo.url("/sessions"));
      await eleventh.getByText("Trip to Lisbon in May").waitFor();
    });
  });

  test("is mounted anywhere, and needs no width", async () => {
    const own = await startDemo({ path: "/tools/studio" });
    await own.planner.runText("hello", { sessionId: "deep" });
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      locale: "en-US",
    });
    const page = await WatchedPage.open(context, own.origin);
    await page.goto(own.link);
    await page.hasHeading("Agents");
    expect(page.page.url()).toBe(`${own.origin}/tools/studio/agents`);
    await page.goto(`${own.origin}/tools/studio/agents/planner/sessions/deep`);
    await page.sees("three hotels in hello");
    const width = await page.page.evaluate("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(360);
    expect(page.faults).toEqual([]);
    await context.close();
    await own.close();
  });
});

function longestTrace({ traces }: Demo): { readonly traceId: string; readonly root: string } {
  const [longest] = traces.list().toSorted((left, right) => right.spans.size - left.spans.size);
  const [root = ""] = longest?.spans.keys() ?? [];
  return { traceId: longest?.traceId ?? "", root };
}
