import { resolve } from "node:path";

/** The cases that projects share; they stand beside the repository, where there are any. */
export const SHARED_SPEC: string = resolve("../shared/conformance/agent.yaml");

/** The cases of this repository. */
export const OWN_SPEC: string = resolve(import.meta.dirname, "own-cases.yaml");
