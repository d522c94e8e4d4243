import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Demo } from "./demo.ts";

/** A page of the Studio in a browser that has seen none, signed in, at the agents. */
export async function openStudio(
  browser: Browser,
  demo: Demo,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: "en-US",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(100_000);
  await page.goto(demo.link);
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  return page;
}
