import { parseArgs } from "node:util";
import { isPlaceName, PLACE_NAMES } from "../support/places/places.ts";
import { startPlaces } from "../support/places/start-places.ts";
import { conform } from "./conform.ts";

// npm run conformance -- agent.yaml --store sqlite
const USAGE = `Usage: npm run conformance -- <spec file> [--store ${PLACE_NAMES.join("|")}]`;
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
  if (file === undefined || others.length > 0 || !isPlaceName(store)) {
    console.error(USAGE);
    return USAGE_EXIT;
  }
  const places = await startPlaces(store);
  try {
    return (await conform({ file, createPlace: places.create, print: console.log })) ? 0 : 1;
  } finally {
    await places.stop();
  }
}
