import type { BrowserServer } from "playwright-core";
import { launchBrowserServer } from "../browser/launch-browser.ts";

/** One browser for all files of a run. Each opens contexts of its own in it. */
export class BrowserForAll {
  #server: Promise<BrowserServer> | undefined;

  /** Where to connect to it. */
  async open(): Promise<string> {
    this.#server = launchBrowserServer();
    return (await this.#server).wsEndpoint();
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.close();
  }
}
