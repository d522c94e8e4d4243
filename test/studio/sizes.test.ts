import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assetNames, ASSETS, firstLoad, gzipBytes } from "./asset-sizes.ts";

const KB = 1024;

describe("the Studio's files", () => {
  test("are at most 120 KB for the first page", () => {
    const total = gzipBytes(firstLoad());
    console.log(`first load ${(total / KB).toFixed(1)} KB gzip`);
    expect(total).toBeLessThanOrEqual(120 * KB);
  });

  test("are at most 600 KB in all, and come from nowhere else", () => {
    const names = assetNames();
    const total = gzipBytes(names);
    console.log(`all ${(total / KB).toFixed(1)} KB gzip in ${names.length} files`);
    expect(total).toBeLessThanOrEqual(600 * KB);
    const html = readFileSync(`${ASSETS}/index.html`, "utf8");
    expect(html).not.toMatch(/(?:src|href)="https?:/);
  });
});
