import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./house-copy.ts";
import {
  findBrokenLinks,
  findMachinePaths,
  findMissingPaths,
  findRegistries,
  findUnknownScripts,
} from "./markdown.ts";

const CONFIGURATION = [".ci/run", ".npmrc", "package-lock.json", "package.json"];

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const scriptNames = Object.keys(scripts);
const documents = readdirSync(ROOT).filter((name) => name.endsWith(".md"));

describe.each(documents)("%s", (document) => {
  test("links to files that exist", () => {
    expect(findBrokenLinks(read(document))).toEqual([]);
  });

  test("names paths that exist", () => {
    expect(findMissingPaths(read(document))).toEqual([]);
  });

  test("names scripts that exist", () => {
    expect(findUnknownScripts(read(document), scriptNames)).toEqual([]);
  });
});

describe.each([...documents, ...CONFIGURATION])("%s", (file) => {
  test("names no path of one machine and no registry", () => {
    expect(findMachinePaths(read(file))).toEqual([]);
    expect(findRegistries(read(file))).toEqual([]);
  });
});

describe("the checks on documents", () => {
  test("find a link that leads nowhere", () => {
    const links = "[a](LICENSE) [b](./NOWHERE.md#x) [c](https://example.com) [d](#e) `[f](code)`";
    expect(findBrokenLinks(`${links}\n\n[g]: gone.md\n`)).toEqual(["./NOWHERE.md#x", "gone.md"]);
  });

  test("find a path that is not there", () => {
    const paths =
      "`src/protocol` `src/nowhere.ts` `src/stores/<name>/index.ts` `test/**` `GONE.md`";
    const others = "`a/b` `application/json` `turnkeep/protocol` `dist/later.js` `src / of / life`";
    const block = "```sh\ncat src/also-nowhere.ts\n```";
    expect(findMissingPaths(`${paths} ${others}\n${block}\n`)).toEqual([
      "src/nowhere.ts",
      "GONE.md",
    ]);
  });

  test("find a script that is not there", () => {
    const text = "Run `npm test`, `npm run lint` and `npm run nothing -- --json`.";
    expect(findUnknownScripts(text, ["lint"])).toEqual(["nothing", "test"]);
  });

  test("find paths of one machine", () => {
    const text = `See ${ROOT} or /home/somebody/notes; not src/work/home.`;
    expect(findMachinePaths(text)).toContain("/home/somebody/notes");
    expect(findMachinePaths(text)).toContain(ROOT);
    expect(findMachinePaths("src/work/x and https://example.com/home/y")).toEqual([]);
  });

  test("find a registry", () => {
    const host = ["registry", "example", "org"].join(".");
    expect(findRegistries(`fetched from ${host}/turnkeep`)).toEqual([host]);
    expect(findRegistries("the registry, as npm knows it")).toEqual([]);
  });
});
