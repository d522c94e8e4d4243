import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compile } from "tailwindcss";
import type { Plugin } from "vite";

/**
 * Tailwind's compiler, asked for the classes that the sources name.
 *
 * Its own plugin finds them with a program built for each platform; the words of our sources are few enough to ask
 * for all of them: what is no class is left out.
 */
export function tailwindStyles(root: string): Plugin {
  return {
    name: "tailwind-styles",
    enforce: "pre",
    transform: {
      filter: { id: join(root, "styles.css") },
      async handler(styles, id) {
        const compiled = await compile(styles, { base: dirname(id), loadStylesheet });
        const sources = sourcesIn(root);
        for (const source of sources) this.addWatchFile(source);
        return { code: compiled.build(sources.flatMap(wordsIn)), map: null };
      },
    },
  };
}

function sourcesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:tsx?|html)$/.test(name))
    .map((name) => join(root, name));
}

function wordsIn(source: string): string[] {
  return readFileSync(source, "utf8").split(/[\s"'`]+/);
}

async function loadStylesheet(id: string, base: string) {
  const path = createRequire(join(base, "styles.css")).resolve(`${id}/index.css`);
  return { path, base: dirname(path), content: readFileSync(path, "utf8") };
}
