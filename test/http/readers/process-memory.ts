import { readFileSync, writeFileSync } from "node:fs";

export interface ProcessMemory {
  readonly nowBytes: number;
  /** The most since the process began, or since `forgetPeak`. */
  readonly peakBytes: number;
}

/** The memory of a process that belongs to it alone or is shared: what the system calls resident. `undefined` where it cannot be asked. */
export function memoryOf(pid: number): ProcessMemory | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytesOf = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024;
    return { nowBytes: bytesOf("VmRSS"), peakBytes: bytesOf("VmHWM") };
  } catch {
    return undefined;
  }
}

/** Counts the peak anew from here on. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Where it cannot be asked, nothing is to be forgotten.
  }
}
