import { TurnkeepError, unknownName } from "../protocol/index.ts";
import type { AuthDecision } from "./identity.ts";

export const ROUTE_GROUPS = [
  "agents",
  "turn",
  "snapshots",
  "abort",
  "fork",
  "labels",
  "sessions",
  "delete",
  "export",
  "import",
] as const;

/**
 * Routes that a server offers together:
 *
 * - `agents`: list and describe agents
 * - `turn`: send an input, read the events of a run
 * - `snapshots`: read the snapshots of a session whose id is known, or one by its own id
 * - `abort`: abort a run
 * - `fork`: begin a new session at a snapshot
 * - `labels`: label and pin snapshots
 * - `sessions`: list all sessions of the caller
 * - `delete`: delete a session
 * - `export`, `import`: read or write a whole session
 */
export type RouteGroup = (typeof ROUTE_GROUPS)[number];

/** The groups of routes that a server offers. */
export type RouteChoice = readonly RouteGroup[] | "all";

// Whoever has no identity reaches only sessions whose id they know.
const PUBLIC_GROUPS: readonly RouteGroup[] = ["agents", "turn", "snapshots", "abort"];

/**
 * The groups that a server offers.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for a group that does not exist.
 */
export function chosenGroups(options: {
  readonly auth: AuthDecision;
  readonly routes?: RouteChoice | undefined;
}): ReadonlySet<RouteGroup> {
  const { auth, routes = auth === "public" ? PUBLIC_GROUPS : "all" } = options;
  if (routes === "all") return new Set(ROUTE_GROUPS);
  if (!Array.isArray(routes)) throw notAList(routes);
  for (const group of routes) checkGroup(group);
  return new Set(routes);
}

/** Says in the server's log why a route that exists was answered as if it did not. */
export function withheldRoute(request: string, group: RouteGroup): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `${request} was refused: the route group "${group}" is off. To serve it, add "${group}" to the server's option 'routes'.`,
  );
}

function checkGroup(group: unknown): void {
  if ((ROUTE_GROUPS as readonly unknown[]).includes(group)) return;
  throw unknownName(String(group), { kind: "route group", names: ROUTE_GROUPS });
}

function notAList(routes: unknown): TurnkeepError {
  const example = JSON.stringify([typeof routes === "string" ? routes : "turn"]);
  return new TurnkeepError(
    "INVALID_ARGUMENT",
    `'routes' must be a list of route groups, such as ${example}, or "all".`,
  );
}
