import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/build-once.ts";
import "../support/built.ts";

/** What a page loads that uses these names, at most, in bytes: minified and compressed. */
const BOUNDS: readonly (readonly [what: string, source: string, bytes: number])[] = [
  ["turnkeep/protocol, all of it", `export * from "./dist/protocol/index.js"`, 12_000],
  ["turnkeep/client", `export { remoteAgent } from "./dist/client/index.js"`, 8192],
  ["turnkeep/react", `export { useAgent } from "./dist/client/react.js"`, 5000],
  [
    "turnkeep/client and turnkeep/react",
    `export { remoteAgent } from "./dist/client/index.js"; export { useAgent } from "./dist/client/react.js"`,
    10_800,
  ],
];

test.each(BOUNDS)("%s is small enough for a page", async (_, contents, bytes) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["react"],
    write: false,
  });
  const size = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  console.log(`${size} bytes, at most ${bytes}`);
  expect(size).toBeLessThanOrEqual(bytes);
});
