import type { Comparison } from "./comparison.ts";

const FILES: Readonly<Record<string, () => Promise<{ readonly comparison: Comparison }>>> = {
  turn: () => import("./turn.ts"),
  prompt: () => import("./prompt.ts"),
  state: () => import("./state.ts"),
  storage: () => import("./storage.ts"),
  resume: () => import("./resume.ts"),
  stream: () => import("./stream.ts"),
  sessions: () => import("./sessions.ts"),
  abort: () => import("./abort.ts"),
  takeover: () => import("./takeover.ts"),
  size: () => import("./size.ts"),
  crowd: () => import("./crowd.ts"),
  readers: () => import("./readers.ts"),
};

export const COMPARISON_NAMES: readonly string[] = Object.keys(FILES);

/** @throws Error when there is none of that name. */
export async function loadComparison(name: string): Promise<Comparison> {
  const load = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (load === undefined) throw new Error(`Nothing is compared by the name of "${name}".`);
  return (await load()).comparison;
}
