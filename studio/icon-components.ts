import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "vite";

const ALL = "virtual:icons";
const ONE = "virtual:icon/";
// What all of them have around their lines; `icon` has it too.
const FRAME =
  /^<g fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2">(.*)<\/g>$/;

interface IconSet {
  readonly icons: Readonly<Record<string, { readonly body: string }>>;
  /** Other names of them. */
  readonly aliases: Readonly<Record<string, { readonly parent: string }>>;
}

/** Lucide's icons as components, a module each, so that a page loads those it shows. */
export function iconComponents(root: string): Plugin {
  const factory = JSON.stringify(join(root, "ui/icon.tsx"));
  const drawings = readDrawings();
  return {
    name: "icon-components",
    resolveId: (id) =>
      id === ALL || id.startsWith(ONE) ? { id: `\0${id}`, moduleSideEffects: false } : undefined,
    load: (id) => {
      if (id === `\0${ALL}`) {
        return [...drawings.keys()]
          .map((name) => `export { ${name} } from "${ONE}${name}";`)
          .join("\n");
      }
      const [, name = ""] = id.split(`\0${ONE}`);
      if (name === "") return undefined;
      const drawing = JSON.stringify(drawings.get(name));
      return `import { icon } from ${factory};\nexport const ${name} = /* @__PURE__ */ icon(${drawing});`;
    },
  };
}

function readDrawings(): ReadonlyMap<string, string> {
  const path = createRequire(import.meta.url).resolve("@iconify-json/lucide/icons.json");
  const { icons, aliases } = JSON.parse(readFileSync(path, "utf8")) as IconSet;
  const others = Object.entries(aliases).map(
    ([name, { parent }]) => [name, icons[parent]] as const,
  );
  return new Map(
    [...others, ...Object.entries(icons)].map(([name, icon]) => [
      toComponentName(name),
      icon?.body.replace(FRAME, "$1") ?? "",
    ]),
  );
}

function toComponentName(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
