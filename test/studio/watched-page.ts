import { buffer } from "node:stream/consumers";
import type { Browser, BrowserContext, Download, Page } from "playwright-core";
import { expect } from "vitest";
import type { Demo } from "./demo.ts";

const WAIT_MS = 60_000;

/** How long to wait for what is there in a second where nothing else goes on. */
export const WAIT: { readonly timeout: number; readonly interval: number } = {
  timeout: WAIT_MS,
  interval: 100,
};

/** For tests of many such steps. */
export const UNHURRIED: { readonly timeout: number } = { timeout: 5 * WAIT_MS };

/** A page of the Studio that notes whatever a good page never does. */
export class WatchedPage {
  readonly page: Page;
  readonly faults: string[] = [];
  /** Answers that a test expects to be refusals. */
  readonly expected: Set<number> = new Set();
  readonly requests: string[] = [];

  private constructor(page: Page, origin: string) {
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      // The browser says so itself of every refusal; those are looked at below.
      if (message.text().startsWith("Failed to load resource")) return;
      this.faults.push(`console: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.faults.push(`thrown: ${error.message}`));
    page.on("request", (request) => {
      this.requests.push(`${request.method()} ${request.url()}`);
      const url = new URL(request.url());
      const isLocal = url.origin === origin || url.protocol === "data:" || url.protocol === "blob:";
      if (!isLocal) this.faults.push(`outside: ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() < 400 || this.expected.has(response.status())) return;
      this.faults.push(`${response.status()}: ${response.url()}`);
    });
  }

  static async open(context: BrowserContext, origin: string): Promise<WatchedPage> {
    return new WatchedPage(await context.newPage(), origin);
  }

  async goto(url: string): Promise<void> {
    await this.page.goto(url);
  }

  /** Waits until the page shows it. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async send(text: string): Promise<void> {
    const box = this.page.getByRole("textbox", { name: "Message" });
    await box.fill(text);
    await box.press("Enter");
  }

  async hasHeading(name: string | RegExp): Promise<void> {
    await this.page.getByRole("heading", { level: 1, name }).waitFor();
  }

  async click(name: string | RegExp): Promise<void> {
    await this.page.getByRole("button", { name }).first().click();
  }
}

/** What was downloaded. The browser, and its files, may be elsewhere. */
export async function downloaded(download: Download): Promise<Uint8Array> {
  return await buffer(await download.createReadStream());
}

/** Waits until the turn is over and the next can be sent. */
export async function isIdle({ page }: WatchedPage): Promise<void> {
  await page.getByTestId("live-turn").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}

/** Opens a page with a token, does the work, and sees that nothing went wrong on the way. */
export async function inStudio(
  { browser, demo }: { readonly browser: Browser; readonly demo: Demo },
  work: (page: WatchedPage) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    acceptDownloads: true,
    locale: "en-US",
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  try {
    const page = await WatchedPage.open(context, demo.origin);
    await page.goto(demo.link);
    await page.hasHeading("Agents");
    await work(page);
    expect(page.faults).toEqual([]);
  } finally {
    await context.close();
  }
}
