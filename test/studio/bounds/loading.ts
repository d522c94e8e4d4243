import { statSync } from "node:fs";
import { assetNames, ASSETS, firstLoad, gzipBytes } from "../asset-sizes.ts";
import { kilobytes, took } from "./finding.ts";
import { type Measurement, shownAt } from "./stage.ts";

/** How much there is to load. */
export const sizes: Measurement = {
  isOnce: true,
  round: async () => {
    const names = assetNames();
    const raw = names.reduce((sum, name) => sum + statSync(`${ASSETS}/${name}`).size, 0);
    return [
      kilobytes("first load, gzip", gzipBytes(firstLoad()), 120),
      kilobytes("all files, gzip", gzipBytes(names), 600),
      kilobytes("all files, raw", raw, 2048),
    ];
  },
};

/** From the link to the agents, in a browser that has kept nothing. */
export const load: Measurement = {
  round: async ({ browser, demo }) => {
    const context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    const begun = Date.now();
    await page.goto(demo.link, { waitUntil: "commit" });
    const shown = await shownAt(page, `document.body?.textContent.includes("Plans trips")`);
    await context.close();
    return [took("first load, to the agents", shown - begun, 1000)];
  },
};
