import type { Browser } from "playwright-core";
import { MemoryStore } from "turnkeep/stores/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Bureau, bureau, SIGN } from "../genkit/interrupts/bureau.ts";
import { responsesIn } from "../genkit/tools/workshop.ts";
import { type Demo, startDemo } from "./demo.ts";
import { inStudio, isIdle } from "./watched-page.ts";

describe("the Studio with an agent on Genkit whose tool asks first", () => {
  let browser: Browser;
  let demo: Demo;
  let made: Bureau;
  let hasInk = true;

  beforeAll(async () => {
    made = bureau(new MemoryStore(), {
      stamp: (_, { resumed, interrupt }) => {
        if (!resumed) interrupt({ question: "Shall I stamp it?" });
        if (!hasInk) throw new Error("No ink.");
        return "stamped";
      },
    });
    [browser, demo] = await Promise.all([openBrowser(), startDemo({ more: [made.agent] })]);
  });
  afterAll(async () => {
    await Promise.all([browser.close(), demo.close()]);
  });

  test.each([
    ["Approve", "Approve: the tool runs", { signed: SIGN.input }, [["sign", true]]],
    ["Deny", "Deny: the tool does not run", { denied: true }, []],
    ["Answer", "Answer in its place: the tool does not run", null, []],
  ])("%s does what its label says", async (button, label, output, done) => {
    const { model, agent } = made;
    made.done.length = 0;
    model.asksFor(SIGN).says(`After ${button}.`);
    await agent.runText("sign it", { sessionId: button });
    await inStudio({ browser, demo }, async (studio) => {
      await studio.goto(demo.url(`/agents/worker/sessions/${button}`));
      const card = studio.page.getByRole("region", { name: "sign waits for you" });
      await card.getByLabel(label).check();
      await card.getByRole("button", { name: button }).click();
      await studio.sees(`After ${button}.`);
      await isIdle(studio);
    });
    expect(made.done).toEqual(done);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([["sign", "s1", output]]);
  });

  test("shows what waits again after its answer failed", async () => {
    const { model, agent } = made;
    model.asksFor({ name: "stamp", ref: "1" }).says("Stamped.");
    await agent.runText("stamp it", { sessionId: "ink" });
    hasInk = false;
    await inStudio({ browser, demo }, async (studio) => {
      await studio.goto(demo.url("/agents/worker/sessions/ink"));
      const card = studio.page.getByRole("region", { name: "stamp waits for you" });
      const approve = async (): Promise<void> => {
        await card.getByLabel("Approve").check();
        await card.getByRole("button", { name: "Approve" }).click();
      };
      await approve();
      await studio.sees("No ink.");
      await isIdle(studio);
      hasInk = true;
      await studio.page.reload();
      await approve();
      await studio.sees("Stamped.");
    });
  });
});
