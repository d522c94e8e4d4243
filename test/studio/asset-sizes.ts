import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import "../support/built.ts";

/** Where the built Studio is. */
export const ASSETS = "dist/studio/app";

/** All of its scripts and styles. */
export function assetNames(): readonly string[] {
  return readdirSync(`${ASSETS}/assets`).map((name) => `assets/${name}`);
}

export function gzipBytes(names: Iterable<string>): number {
  return [...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(`${ASSETS}/${name}`)).length,
    0,
  );
}

/** What the page asks for before it shows anything: its scripts, what they import, and the styles. */
export function firstLoad(): ReadonlySet<string> {
  const html = readFileSync(`${ASSETS}/index.html`, "utf8");
  const found = new Set<string>();
  const open = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(
    ([, name = ""]) => name,
  );
  while (open.length > 0) {
    const name = open.pop() ?? "";
    if (found.has(name)) continue;
    found.add(name);
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(`${ASSETS}/${name}`, "utf8");
    const imports = text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g);
    open.push(...[...imports].map(([, file]) => `assets/${file}`));
  }
  return found;
}
