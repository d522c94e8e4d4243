import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./house-copy.ts";

const REGISTRY =
  /\bregistry\.(?!test\.)[\w-]+\.\w+|https?:\/\/[^\s/"')]*(?:registry|mirror|artifactory)/gi;
const HOME_PATH = /(?<![\w.~-])\/(?:root|home|Users|work)\/[\w./-]*/g;

/** Links from a document in that folder, to other files and to headings in them, that lead nowhere. */
export function findBrokenLinks(markdown: string, folder = ""): string[] {
  const text = withoutCode(markdown);
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)/g)];
  const references = [...text.matchAll(/^\s*\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...references]
    .map(([, target = ""]) => target)
    .filter((target) => !/^(?:[a-z]+:|#|\/\/)/i.test(target))
    .filter((target) => !leadsSomewhere(decodeURI(target), folder));
}

/** Blocks of code that name a file which no test runs or which does not hold them, by the file and their first line. */
export function findStrayBlocks(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```/gm)];
  return blocks
    .filter(([, file = "", code = ""]) => !isRun(file) || !exists(file) || !isHeld(code, file))
    .map(([, file, code = ""]) => `${file}: ${code.split("\n")[0]}`);
}

/** How many blocks of code name no file, and of JSON no example that a server is asked for. */
export function countNamelessBlocks(markdown: string): number {
  const code = [...markdown.matchAll(/^```(?:ts|tsx|js|jsx|mjs)\n/gm)];
  const json = [...markdown.matchAll(/(?<!<!-- example: [\w-]+ -->\n\n)^```json\n/gm)];
  return code.length + json.length;
}

/** Files and folders of this repository, named in backticks, that are not there. */
export function findMissingPaths(markdown: string): string[] {
  const topLevel = new Set([...readdirSync(ROOT), "bench", "examples", "scripts", "src", "test"]);
  return inlineCode(markdown)
    .map((code) => code.replace(/^\.\//, "").replace(/[:#]L?\d+(?:-L?\d+)?$/, ""))
    .filter((code) => /^[A-Z_]+\.md$/.test(code) || isPathUnder(topLevel, code))
    .filter((code) => !exists(fixedPartOf(code)));
}

/** Scripts a reader is told to run, that package.json does not have. */
export function findUnknownScripts(markdown: string, scripts: readonly string[]): string[] {
  const named = [...markdown.matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g)].map(
    ([, name = ""]) => name,
  );
  const short = [...markdown.matchAll(/\bnpm (start|test)\b/g)].map(([, name = ""]) => name);
  return [...named, ...short].filter((name) => !scripts.includes(name));
}

/** Paths that exist on one person's machine only. */
export function findMachinePaths(text: string): string[] {
  const here = text.includes(ROOT) ? [ROOT] : [];
  return [...here, ...[...text.matchAll(HOME_PATH)].map(([path]) => path)];
}

/** Hosts of package registries: which one to use is for each reader's own settings. */
export function findRegistries(text: string): string[] {
  return [...text.matchAll(REGISTRY)].map(([host]) => host);
}

// `test/examples` runs each example, and fails for one that it does not know.
function isRun(file: string): boolean {
  return /^(?:examples|test)\//.test(file);
}

// A block may leave out what is between its paragraphs and its imports, but not change their order.
function isHeld(code: string, file: string): boolean {
  const lines = linesOf(file);
  const pieces = code.replaceAll(/^(?=import )/gm, "\n").split(/\n{2,}/);
  let at = 0;
  for (const piece of pieces.filter((text) => text.trim() !== "")) {
    at = lines.indexOf(flat(piece), at);
    if (at === -1) return false;
  }
  return true;
}

// Blocks are compared line by line, however far they are indented.
function flat(code: string): string {
  const lines = code.split("\n").map((line) => line.trim());
  return `\n${lines.join("\n").trim()}\n`;
}

function linesOf(file: string): string {
  return flat(readFileSync(join(ROOT, file), "utf8"));
}

function leadsSomewhere(target: string, folder: string): boolean {
  const [path = "", heading] = target.replace(/\?.*$/, "").split("#");
  const file = join(folder, path);
  if (!exists(file)) return false;
  if (heading === undefined || !file.endsWith(".md")) return true;
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/^#+ (.+)$/gm)].some(([, title = ""]) => anchorOf(title) === heading);
}

// As forges make them of headings.
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

export function inlineCode(markdown: string): string[] {
  const prose = markdown.replaceAll(/^ *(`{3,}|~{3,})[\s\S]*?^ *\1/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^ *(`{3,}|~{3,})[\s\S]*?^ *\1/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

// `dist` and `node_modules` come and go.
function isPathUnder(topLevel: ReadonlySet<string>, code: string): boolean {
  const [first = "", ...rest] = code.split("/");
  const isPath = rest.length > 0 && !/[\s()=;"'$]/.test(code);
  return isPath && topLevel.has(first) && !["dist", "node_modules"].includes(first);
}

// `src/stores/<name>/index.ts` and `test/**` promise no more than what precedes the blank.
function fixedPartOf(path: string): string {
  const parts = path.split("/");
  const blank = parts.findIndex((part) => /[*<>{}…]|\.\.\./.test(part));
  return blank === -1 ? path : parts.slice(0, blank).join("/");
}

function exists(path: string): boolean {
  return existsSync(join(ROOT, path));
}
