import type { RequestCost } from "./allowance.ts";

/** Where something can be asked for. */
export interface RoutePath {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `:name` stands for anything. */
  readonly path: string;
  /** What it counts as against its caller. By default GET reads and everything else writes. */
  readonly cost?: RequestCost;
}

/** What a request to the route counts as. */
export function costOf({ method, cost }: RoutePath): RequestCost {
  return cost ?? (method === "GET" ? "read" : "write");
}

export interface FoundRoute<Route> {
  readonly route: Route;
  readonly names: ReadonlyMap<string, string>;
}

/** The route of a path, or the methods that its path has; neither when nothing is there. */
export function findRoute<Route extends RoutePath>(
  routes: readonly Route[],
  method: string,
  path: string,
): FoundRoute<Route> | { readonly allowed: readonly string[] } {
  const steps = decodedSteps(path);
  if (steps === undefined) return { allowed: [] };
  const allowed: string[] = [];
  for (const route of routes) {
    const names = namesOf(route.path, steps);
    if (names && route.method === method) return { route, names };
    if (names) allowed.push(route.method);
  }
  return { allowed };
}

function namesOf(path: string, steps: readonly string[]): ReadonlyMap<string, string> | undefined {
  const pattern = path === "" ? [] : path.split("/");
  if (pattern.length !== steps.length) return undefined;
  const names = new Map<string, string>();
  for (const [index, part] of pattern.entries()) {
    const step = steps[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== step) return undefined;
    } else names.set(part.slice(1), step);
  }
  return names;
}

function decodedSteps(path: string): readonly string[] | undefined {
  try {
    return path === "" ? [] : path.split("/").map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
