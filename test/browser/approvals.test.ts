import type { Browser } from "playwright-core";
import { MemoryStore } from "turnkeep/stores/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bureau, bureau, SIGN } from "../genkit/interrupts/bureau.ts";
import { responsesIn } from "../genkit/tools/workshop.ts";
import { openBrowser } from "./open-browser.ts";
import { bundlePage, servePage } from "./page-server.ts";
import { Stage } from "./stage.ts";

describe("a page that chats with an agent on Genkit whose tool asks first, in a real browser", () => {
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    [browser, script] = await Promise.all([openBrowser(), bundlePage()]);
  });
  afterAll(() => browser.close());

  async function onPage(work: (stage: Stage, made: Bureau) => Promise<void>): Promise<void> {
    const store = new MemoryStore();
    const made = bureau(store);
    const server = await servePage(script, made.agent);
    const page = await browser.newPage();
    page.setDefaultTimeout(100_000);
    try {
      const stage = new Stage(page, server);
      await stage.open();
      await work(stage, made);
    } finally {
      await page.close();
      server.close();
      await made.agent.close();
      await store.close();
    }
  }

  test("Approve runs the tool", async () => {
    await onPage(async (stage, { model, done }) => {
      model.asksFor(SIGN).says("Signed.");
      await stage.send("sign it");
      await stage.hasStatus("interrupted");
      expect(done).toEqual([]);
      await stage.click("#approve-0");
      await stage.sees("Signed.", 0);
      await stage.hasStatus("idle");
      expect(done).toEqual([["sign", true]]);
    });
  });

  test.each([
    ["Deny", "#deny-0", { denied: true, reason: "Not today." }],
    ["An answer in its place", "#answer-0", "Done by hand."],
  ])("%s does not run the tool, and tells the model", async (_, button, output) => {
    await onPage(async (stage, { model, done }) => {
      model.asksFor(SIGN).says("As you wish.");
      await stage.send("sign it");
      await stage.click(button);
      await stage.sees("As you wish.", 0);
      await stage.hasStatus("idle");
      expect(done).toEqual([]);
      expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([["sign", "s1", output]]);
    });
  });

  test("an approval stays, whatever is sent while it waits and however often the page is loaded", async () => {
    await onPage(async (stage, { model, agent, done }) => {
      model.asksFor(SIGN).says("Signed.");
      await stage.send("sign it");
      await stage.hasStatus("interrupted");
      await stage.send("forget it");
      await stage.counts("queued", 1);
      await stage.hasStatus("interrupted");
      await stage.counts("interrupts", 1);
      const { sessionId = "" } = (await agent.listSessions()).sessions[0] ?? {};
      // From elsewhere, past the page.
      await agent.runText("and I?", { sessionId });
      await stage.reload();
      await stage.hasStatus("interrupted");
      await stage.counts("interrupts", 1);
      expect(await agent.listSnapshots(sessionId)).toHaveLength(1);
      await stage.click("#approve-0");
      await stage.sees("Signed.", 0);
      expect(done).toEqual([["sign", true]]);
    });
  });

  test("what waits is dropped, and the message that was sent meanwhile is answered", async () => {
    await onPage(async (stage, { model, done }) => {
      model.asksFor(SIGN).says("All right.").says("Sunny.");
      await stage.send("sign it");
      await stage.hasStatus("interrupted");
      await stage.send("How is the weather?");
      await stage.click("#deny-all");
      await stage.sees("Sunny.", 0);
      await stage.hasStatus("idle");
      await stage.counts("queued", 0);
      expect(done).toEqual([]);
    });
  });

  test("the transcript is the same before and after a reload", async () => {
    await onPage(async (stage, { model }) => {
      model.asksFor({ name: "note", ref: "n" }).says("Noted.").asksFor(SIGN);
      await stage.send("note it");
      await stage.sees("Noted.", 0);
      await stage.hasStatus("idle");
      const talk = ["user: note it", "model: ", "tool: ", "model: Noted."];
      expect(await stage.outline()).toEqual(talk);
      await stage.send("sign it");
      await stage.hasStatus("interrupted");
      const waiting = [...talk, "user: sign it", "model: "];
      expect(await stage.outline()).toEqual(waiting);
      await stage.reload();
      await stage.counts("transcript", waiting.length);
      expect(await stage.outline()).toEqual(waiting);
    });
  });
});
