import { startChild, type StartedChild } from "../../support/start-child.ts";
import { whenOver } from "./leftovers.ts";
import { until } from "./waiting.ts";

export interface StartedProcess extends StartedChild {
  /** Resolves when it has printed a line. */
  readonly said: (line: string) => Promise<void>;
}

/** Runs a file beside this one in a process of its own, from source. It is gone when the tests are over. */
export function startProcess(file: string, order: object): StartedProcess {
  const child = startChild(new URL(file, import.meta.url), order);
  whenOver(async () => {
    child.kill("SIGKILL");
    await child.ended;
  });
  return {
    ...child,
    said: (line) => until(() => child.lines.includes(line)),
  };
}
