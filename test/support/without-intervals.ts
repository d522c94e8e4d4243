import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import { onTestFinished, vi } from "vitest";

/** For this test, nothing looks again and again: what comes was told. */
export function withoutIntervals(): void {
  const never = { unref: () => never } as unknown as NodeJS.Timeout;
  const intervals = vi.spyOn(timers, "setInterval").mockReturnValue(never);
  syncBuiltinESMExports();
  onTestFinished(() => {
    intervals.mockRestore();
    syncBuiltinESMExports();
  });
}
