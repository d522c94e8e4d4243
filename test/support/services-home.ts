import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Every server lives under this name, so that a later run finds what a killed one left behind. */
export const HOME_PREFIX = "turnkeep-service-";
export const LABEL_FILE = "label.json";

/** What a home says about its server: enough to stop it when nobody else will. */
export interface HomeLabel {
  readonly runnerPid: number;
  readonly serverPid?: number;
  readonly stopSignal: NodeJS.Signals;
}

/** A user the server runs as, when it is not ours. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerHome {
  readonly directory: string;
  /** The only part the server itself may write to. */
  readonly data: string;
}

export function createHome(name: string, account?: Account): ServerHome {
  const directory = mkdtempSync(join(tmpdir(), `${HOME_PREFIX}${name}-`));
  const data = join(directory, "data");
  labelHome(directory, { runnerPid: process.pid, stopSignal: "SIGTERM" });
  mkdirSync(data, { mode: 0o700 });
  if (account !== undefined) {
    chmodSync(directory, 0o711);
    chownSync(data, account.uid, account.gid);
  }
  return { directory, data };
}

export function labelHome(directory: string, label: HomeLabel): void {
  writeFileSync(join(directory, LABEL_FILE), JSON.stringify(label));
}

export function removeHome(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
