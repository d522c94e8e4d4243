// Writes the reference anew.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../house-copy.ts";
import { readEntries } from "./read-entries.ts";
import { writePages } from "./write-pages.ts";

const folder = join(ROOT, "docs/reference");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of writePages(readEntries())) writeFileSync(join(folder, name), text);
