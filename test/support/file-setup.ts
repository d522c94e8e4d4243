import { afterAll } from "vitest";
import { openWorkerFolder, takeLeftovers } from "./run-folder.ts";
import { undoAll } from "./when-over.ts";

// Runs before every test file, so that what a file makes is gone when it is over.
const folder = openWorkerFolder();

afterAll(async () => {
  await undoAll();
  const left = takeLeftovers(folder);
  if (left.length > 0) throw new Error(`The file left temporary files: ${left.join(", ")}`);
});
