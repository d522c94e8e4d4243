import { parseArgs } from "node:util";
import { conform } from "./conform.ts";
import { isStoreName, SPEC_STORES } from "./spec-stores.ts";

// npm run conformance -- agent.yaml --store sqlite
const USAGE = `Usage: npm run conformance -- <spec file> [--store ${Object.keys(SPEC_STORES).join("|")}]`;
const USAGE_EXIT = 2;

// In development every instance of Genkit opens a port, which would keep the process alive.
delete process.env["GENKIT_ENV"];
process.exitCode = await run();

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { store: { type: "string", default: "memory" } },
  });
  const [file, ...others] = positionals;
  const { store } = values;
  if (file === undefined || others.length > 0 || !isStoreName(store)) {
    console.error(USAGE);
    return USAGE_EXIT;
  }
  return (await conform({ file, store, print: console.log })) ? 0 : 1;
}
