import { type Browser, chromium } from "playwright-core";
import { askRun } from "../support/run-resources.ts";

/** Connects to the browser of the run. To close it ends what was opened through this connection. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.connect(await askRun("browser"));
}
