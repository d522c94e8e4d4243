/** CPU and time since a moment. */
export interface Costs {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Begins to count; each call of the answer tells what it cost until then. */
export function countCosts(): () => Costs {
  const begin = { cpu: process.cpuUsage(), wall: performance.now() };
  return () => {
    const wallMs = performance.now() - begin.wall;
    const { user, system } = process.cpuUsage(begin.cpu);
    return { cpuMs: (user + system) / 1000, wallMs };
  };
}
