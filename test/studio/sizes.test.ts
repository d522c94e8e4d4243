import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";

const FOLDER = "dist/studio/app";
const KB = 1024;

describe("the Studio's files", () => {
  const names = readdirSync(`${FOLDER}/assets`).map((name) => `assets/${name}`);
  const sizeOf = (name: string): number => gzipSync(readFileSync(`${FOLDER}/${name}`)).length;

  // What the page asks for before it shows anything: its scripts, what they import, and the styles.
  function firstLoad(): ReadonlySet<string> {
    const html = readFileSync(`${FOLDER}/index.html`, "utf8");
    const found = new Set<string>();
    const open = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
      ([, name = ""]) => name,
    );
    while (open.length > 0) {
      const name = open.pop() ?? "";
      if (found.has(name)) continue;
      found.add(name);
      if (!name.endsWith(".js")) continue;
      const text = readFileSync(`${FOLDER}/${name}`, "utf8");
      const imports = text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
      open.push(...[...imports].map(([, file]) => `assets/${file}`));
    }
    return found;
  }

  test("are at most 120 KB for the first page", () => {
    const total = [...firstLoad()].reduce((sum, name) => sum + sizeOf(name), 0);
    console.log(`first load ${(total / KB).toFixed(1)} KB gzip`);
    expect(total).toBeLessThanOrEqual(120 * KB);
  });

  test("are at most 600 KB in all, and come from nowhere else", () => {
    const total = names.reduce((sum, name) => sum + sizeOf(name), 0);
    console.log(`all ${(total / KB).toFixed(1)} KB gzip in ${names.length} files`);
    expect(total).toBeLessThanOrEqual(600 * KB);
    const html = readFileSync(`${FOLDER}/index.html`, "utf8");
    expect(html).not.toMatch(/(?:src|href)="https?:/);
  });
});
