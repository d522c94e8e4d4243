import type { Entry, Item, Kind } from "./read-entries.ts";

const ORDER: readonly Kind[] = ["Functions", "Classes", "Interfaces", "Types", "Constants"];
const ORIGIN =
  "<!-- Made by `npm run docs:reference` from the types and their comments: change those. -->";

/** The pages of the reference, by their file names. */
export function writePages(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const homes = homesOf(entries);
  const pages = entries.map((entry) => [`${entry.page}.md`, pageOf(entry, homes)] as const);
  return new Map([["README.md", indexOf(entries, homes)], ...pages]);
}

/** On which page each item is told of. */
type Homes = ReadonlyMap<string, { readonly item: Item; readonly page: string }>;

// Some names are given by several entries: they are told of where they are declared, or else where they come first.
function homesOf(entries: readonly Entry[]): Homes {
  const homes = new Map<string, { readonly item: Item; readonly page: string }>();
  for (const { name, page, items } of entries) {
    const room = name.split("/").slice(1).join("/") || "agent";
    for (const item of items) {
      const isDeclaredHere = item.file.startsWith(`${room}/`);
      if (isDeclaredHere || !homes.has(idOf(item))) homes.set(idOf(item), { item, page });
    }
  }
  return homes;
}

function idOf({ file, name }: Item): string {
  return `${file} ${name}`;
}

function pageOf(entry: Entry, homes: Homes): string {
  const own = entry.items.filter((item) => homes.get(idOf(item))?.page === entry.page);
  const others = entry.items.filter((item) => !own.includes(item));
  const sections = ORDER.flatMap((kind) => {
    const items = own.filter((item) => item.kind === kind);
    const texts = items.map((item) => sectionOf(item, entry, homes));
    return texts.length === 0 ? [] : [`## ${kind}`, ...texts];
  });
  const elsewhere = others.map((item) => `- ${linkTo(item, homes, entry.page)}`);
  return joined([
    `# \`${entry.name}\``,
    ORIGIN,
    "[All imports](README.md)",
    ...sections,
    ...(others.length === 0 ? [] : ["## Told of elsewhere", elsewhere.join("\n")]),
  ]);
}

function sectionOf(item: Item, entry: Entry, homes: Homes): string {
  const seen = item.speaksOf.flatMap((name) => {
    const other = findNamed(name, entry, homes);
    return other && other !== item ? [linkTo(other, homes, entry.page)] : [];
  });
  return [
    `### ${item.name}`,
    item.doc,
    `\`\`\`typescript\n${item.text}\n\`\`\``,
    ...item.throws.map((text) => `Throws ${text}`),
    ...(seen.length === 0 ? [] : [`See ${seen.join(", ")}.`]),
  ].join("\n\n");
}

// What the entry does not give itself may be given by another, if only one does.
function findNamed(name: string, entry: Entry, homes: Homes): Item | undefined {
  const own = entry.items.find((item) => item.name === name);
  if (own !== undefined) return own;
  const [other, ...more] = [...homes.values()].filter(({ item }) => item.name === name);
  return more.length === 0 ? other?.item : undefined;
}

function linkTo(item: Item, homes: Homes, from: string): string {
  const page = homes.get(idOf(item))?.page ?? from;
  return `[\`${item.name}\`](${page === from ? "" : `${page}.md`}#${item.name.toLowerCase()})`;
}

function indexOf(entries: readonly Entry[], homes: Homes): string {
  const sections = entries.flatMap(({ name, page, items }) => {
    const rows = (["Functions", "Classes"] as const)
      .flatMap((kind) => items.filter((item) => item.kind === kind))
      .map((item) => `| ${linkTo(item, homes, "README")} | ${firstSentence(item.doc)} |`);
    const table = ["| name | what it is |", "|---|---|", ...rows].join("\n");
    const all = `[All of it, with its types](${page}.md)`;
    return [`## \`${name}\``, ...(rows.length === 0 ? [] : [table]), all];
  });
  return joined([
    "# Reference",
    ORIGIN,
    "What each import gives: its functions and classes here, its types on its own page.",
    ...sections,
  ]);
}

function firstSentence(doc: string): string {
  const [sentence = ""] = /^[\s\S]*?[.!?](?=\s|$)/.exec(doc) ?? [doc];
  return sentence.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}

function joined(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
