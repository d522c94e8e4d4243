// npm test                          everything
// npm test -- agent stores/sqlite   the areas of these names: folders of `test`
// npm test -- agent/life -t abort   what Vitest takes besides goes to it as it is
import { statSync } from "node:fs";
import { join, resolve } from "node:path";

const TESTS = resolve(import.meta.dirname, "..");
const given = process.argv.slice(2);
const options = given.findIndex((argument) => argument.startsWith("-"));
const names = options < 0 ? given : given.slice(0, options);
const rest = given.slice(names.length);

const isArea = (name) => statSync(join(TESTS, name), { throwIfNoEntry: false })?.isDirectory();
const filters = names.map((name) => (isArea(name) ? `test/${name.replace(/\/$/, "")}/` : name));

process.argv.splice(2, Infinity, "run", ...filters, ...rest);
await import("../../node_modules/vitest/vitest.mjs");
