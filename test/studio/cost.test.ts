import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, UNHURRIED } from "./watched-page.ts";

describe("what turns cost", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    const perMillion = { planner: { inputTokens: 3, outputTokens: 15 } };
    const options = { prices: { currency: "EUR", perMillion } };
    [browser, demo] = await Promise.all([openBrowser(), startDemo(options)]);
    await demo.planner.runText("hello", { sessionId: "dear" });
    await demo.research.runText("hello", { sessionId: "free" });
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  test("is shown where a price was set, and never guessed", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(demo.url("/agents/planner/sessions/dear?panel=details"));
      await studio.sees("508 tokens · €0.00268");
      await page.getByRole("definition").getByText("€0.00268").waitFor();
      await studio.goto(demo.url("/agents/planner/sessions/dear/timeline"));
      await studio.sees(/508 tokens · €0\.00268/);
      await studio.goto(demo.url("/agents/research/sessions/free?panel=details"));
      await studio.sees("not known");
      await studio.goto(demo.url("/stats?range=1h"));
      await studio.sees("1 turn with a price");
      await studio.goto(demo.url("/settings"));
      await studio.sees("planner: inputTokens 3 EUR, outputTokens 15 EUR for a million");
    });
  });
});
