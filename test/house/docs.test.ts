import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "./house-copy.ts";
import { helpOf } from "./command-help.ts";
import {
  countNamelessBlocks,
  findBrokenLinks,
  findMachinePaths,
  findMissingPaths,
  findRegistries,
  findStrayBlocks,
  findUnknownScripts,
} from "./markdown.ts";
import { findUnknownCommands } from "./shell-commands.ts";

const CONFIGURATION = [".ci/run", ".npmrc", "package-lock.json", "package.json"];

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
const scriptNames = Object.keys(scripts);
const markdownIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const documents = [...markdownIn(""), ...markdownIn("docs"), ...markdownIn("docs/reference")];

describe.each(documents)("%s", (document) => {
  test("links to files that exist", () => {
    expect(findBrokenLinks(read(document), dirname(document))).toEqual([]);
  });

  test("names paths that exist", () => {
    expect(findMissingPaths(read(document))).toEqual([]);
  });

  test("names scripts that exist", () => {
    expect(findUnknownScripts(read(document), scriptNames)).toEqual([]);
  });

  test("says commands that can be said", async () => {
    expect(await findUnknownCommands(read(document), helpOf)).toEqual([]);
  });

  test("shows code that is in files which run", () => {
    expect(findStrayBlocks(read(document))).toEqual([]);
    expect(countNamelessBlocks(read(document))).toBe(0);
  });
});

describe.each([...documents, ...CONFIGURATION])("%s", (file) => {
  test("names no path of one machine and no registry", () => {
    expect(findMachinePaths(read(file))).toEqual([]);
    expect(findRegistries(read(file))).toEqual([]);
  });
});

const { version } = JSON.parse(read("package.json")) as { version: string };

test.skipIf(version !== "0.0.0").each(["README.md", "docs/start.md"])(
  "%s says that the package is not on npm, and how to use a clone",
  (document) => {
    expect(read(document)).toMatch(/not on npm yet\.[^\n]* clone[^\n]*:\n\n```sh\n[^`]*npm ci\b/);
  },
);

describe("the checks on documents", () => {
  test("find a link that leads nowhere", () => {
    const links = "[a](LICENSE) [b](./NOWHERE.md#x) [c](https://example.com) [d](#e) `[f](code)`";
    expect(findBrokenLinks(`${links}\n\n[g]: gone.md\n`)).toEqual(["./NOWHERE.md#x", "gone.md"]);
  });

  test("find a heading that is not there", () => {
    const links = "[a](../CONTRIBUTING.md#house-rules) [b](../CONTRIBUTING.md#no-rules)";
    expect(findBrokenLinks(links, "docs")).toEqual(["../CONTRIBUTING.md#no-rules"]);
  });

  test("find code that is not in the file it names", () => {
    const block = (file: string, code: string): string => `\`\`\`ts ${file}\n${code}\n\`\`\`\n`;
    const here = block("examples/first-agent.ts", 'const first = await parrot.runText("Hello");');
    const altered = block("examples/first-agent.ts", "const first = 1;");
    const nowhere = block("examples/nowhere.ts", "const x = 1;");
    expect(findStrayBlocks(here + altered + nowhere)).toEqual([
      "examples/first-agent.ts: const first = 1;",
      "examples/nowhere.ts: const x = 1;",
    ]);
    const example = "<!-- example: x -->\n\n```json\n{}\n```\n\n";
    const nameless = ["ts", "tsx", "js", "jsx", "mjs", "json"].map(
      (name) => `\`\`\`${name}\nx\n\`\`\`\n`,
    );
    expect(countNamelessBlocks(here + example + nameless.join(""))).toBe(nameless.length);
  });

  test("find code whose pieces are in the file in another order", () => {
    const [first, second] = ["const traces = new TraceStore();", "await server.close();"];
    const block = (...pieces: readonly string[]): string =>
      `\`\`\`ts examples/reflection.ts\n${pieces.join("\n\n")}\n\`\`\`\n`;
    const comment = " // also one of the OpenTelemetry SDK's `spanProcessors`";
    expect(findStrayBlocks(block(`${first}${comment}`, second))).toEqual([]);
    expect(findStrayBlocks(block(second, `${first}${comment}`))).toHaveLength(1);
  });

  test("find code of a file that no test runs", () => {
    const block = "```ts src/cli/paint.ts\nexport interface Paint {\n```\n";
    expect(findStrayBlocks(block)).toEqual(["src/cli/paint.ts: export interface Paint {"]);
  });

  test("find a command that is not there, and options it does not have", async () => {
    const inline = "`turnkeep fly`, `turnkeep serve a.js --port 1 --wings`, `npx turnkeep demo`";
    const block = "```sh\nturnkeep sessions fold x # --like this\ncd x && rm -rf y\n```\n";
    expect(await findUnknownCommands(`${inline}\n\n${block}`, helpOf)).toEqual([
      "rm -rf y",
      "turnkeep fly",
      "turnkeep serve --wings",
      "turnkeep sessions fold",
    ]);
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
