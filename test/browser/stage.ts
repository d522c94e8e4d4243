import type { Page } from "playwright-core";
import { vi } from "vitest";
import type { PageServer } from "./page-server.ts";
import type { WordAgent } from "./word-agent.ts";

/** The page as somebody uses it. */
export class Stage {
  readonly #page: Page;
  readonly #server: PageServer;
  readonly #words: WordAgent;

  constructor(page: Page, server: PageServer, words: WordAgent) {
    this.#page = page;
    this.#server = server;
    this.#words = words;
  }

  async open(): Promise<void> {
    await this.#page.goto(`${this.#server.url}?agent=${this.#server.url}agents/chat`);
    await this.#page.waitForSelector("#input");
  }

  async reload(): Promise<void> {
    await this.#page.reload();
    await this.#page.waitForSelector("#input");
  }

  async send(text: string): Promise<void> {
    await this.#page.fill("#input", text);
    await this.click("#send");
  }

  async click(selector: string): Promise<void> {
    await this.#page.click(selector);
  }

  /** Lets the agent say so many more words, and waits until the last thing on the page is this. */
  async sees(text: string, moreWords: number): Promise<void> {
    this.#words.say(moreWords);
    const last = this.#page.locator("#transcript li").last();
    await becomes(async () => (await last.textContent())?.trim(), text);
  }

  async hasState(state: object): Promise<void> {
    await this.#has("#state", JSON.stringify(state));
  }

  async hasStatus(status: string): Promise<void> {
    await this.#has("#status", status);
  }

  async transcript(): Promise<readonly string[]> {
    const lines = await this.#page.locator("#transcript li").allTextContents();
    return lines.map((line) => line.trim());
  }

  async #has(selector: string, text: string): Promise<void> {
    await becomes(() => this.#page.textContent(selector), text);
  }
}

const WAIT = { timeout: 100_000, interval: 20 };

async function becomes(
  read: () => Promise<string | null | undefined>,
  wanted: string,
): Promise<void> {
  await vi.waitFor(async () => {
    const seen = await read();
    if (seen !== wanted) throw new Error(`The page shows "${seen}" and not "${wanted}".`);
  }, WAIT);
}
