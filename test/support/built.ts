import { askRun, isTestRun } from "./run-resources.ts";

// Imported by whatever uses `dist`. Commands build before they start.
if (isTestRun()) await askRun("build");
