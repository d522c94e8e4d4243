import type { Browser } from "playwright-core";
import { MemoryStore } from "turnkeep/stores/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "./open-browser.ts";
import { bundlePage, servePage } from "./page-server.ts";
import { Stage } from "./stage.ts";
import { WordAgent } from "./word-agent.ts";

const TALK = "one two three four five six";

describe("a page that chats with an agent, in a real browser", () => {
  let browser: Browser;
  let script: string;

  beforeAll(async () => {
    [browser, script] = await Promise.all([openBrowser(), bundlePage()]);
  });
  afterAll(() => browser.close());

  async function onPage(work: (stage: Stage) => Promise<void>): Promise<void> {
    const store = new MemoryStore();
    const words = new WordAgent(store);
    const server = await servePage(script, words.agent);
    const page = await browser.newPage();
    page.setDefaultTimeout(100_000);
    try {
      const stage = new Stage(page, server, words);
      await stage.open();
      await work(stage);
    } finally {
      await page.close();
      server.close();
      await words.agent.close();
      await store.close();
    }
  }

  test("shows words as they are said, and the state as it changes", async () => {
    await onPage(async (stage) => {
      await stage.send(TALK);
      await stage.sees("one", 1);
      await stage.sees("one two three", 2);
      await stage.hasState({ words: 3 });
      await stage.sees(TALK, 3);
      await stage.hasStatus("idle");
      expect(await stage.transcript()).toEqual([TALK, TALK]);
    });
  });

  test("goes on after a reload in the middle of a turn, with no word lost or doubled", async () => {
    await onPage(async (stage) => {
      await stage.send(TALK);
      await stage.sees("one two", 2);
      await stage.reload();
      await stage.sees("one two", 0);
      await stage.sees("one two three", 1);
      await stage.reload();
      await stage.sees(TALK, 3);
      await stage.hasStatus("idle");
      expect(await stage.transcript()).toEqual([TALK, TALK]);
      await stage.reload();
      await stage.sees(TALK, 0);
      expect(await stage.transcript()).toEqual([TALK, TALK]);
    });
  });

  test("stops a turn, and goes on talking after it", async () => {
    await onPage(async (stage) => {
      await stage.send(TALK);
      await stage.sees("one", 1);
      await stage.click("#stop");
      await stage.hasStatus("idle");
      await stage.send("again");
      await stage.sees("again", 1);
      await stage.hasStatus("idle");
    });
  });

  test("answers an interrupt", async () => {
    await onPage(async (stage) => {
      await stage.send("pay");
      await stage.hasStatus("interrupted");
      await stage.click("#approve-0");
      await stage.sees('{"approved":true}', 0);
      await stage.hasStatus("idle");
    });
  });
});
