import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Lets go of what was made ready, so that nobody pays for it later. */
export const collectGarbage = runInNewContext("gc") as () => void;
