import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { ErrorView } from "../ui/views.tsx";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

// What stands in an address may have been typed by anybody: whatever is no text is passed over.
function textsOf<const Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { readonly [Key in Name]?: string } {
  const texts = names.flatMap((name) => {
    const value = search[name];
    if (typeof value === "number" || typeof value === "boolean") return [[name, String(value)]];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return Object.fromEntries(texts) as { readonly [Key in Name]?: string };
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/agents" });
  },
});

// A page below the mount path, loaded when it is opened, with the texts that may stand behind its address.
function page<const Path extends string, const Name extends string = never>(
  path: Path,
  component: RouteComponent,
  names: readonly Name[] = [],
) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (search: Record<string, unknown>) => textsOf(search, names),
    component,
  });
}

const SESSIONS = "/agents/$agent/sessions";
const SESSION = `${SESSIONS}/$session` as const;
const SESSION_FILTERS = ["q", "in", "status", "tag", "art", "sort"] as const;

const tree = root.addChildren([
  home,
  page(
    "/agents",
    lazyRouteComponent(() => import("../agents/agents-page.tsx"), "AgentsPage"),
  ),
  page(
    "/agents/$agent",
    lazyRouteComponent(() => import("../agents/agent-page.tsx"), "AgentPage"),
    ["tab"],
  ),
  page(
    "/agents/$agent/new",
    lazyRouteComponent(() => import("../session/new-session-page.tsx"), "NewSessionPage"),
    ["prompt"],
  ),
  page(
    SESSIONS,
    lazyRouteComponent(() => import("../sessions/sessions-page.tsx"), "AgentSessionsPage"),
    SESSION_FILTERS,
  ),
  page(
    "/sessions",
    lazyRouteComponent(() => import("../sessions/sessions-page.tsx"), "SessionsPage"),
    [...SESSION_FILTERS, "agent"],
  ),
  page(
    SESSION,
    lazyRouteComponent(() => import("../session/session-page.tsx"), "SessionPage"),
    ["snap", "msg", "panel", "art", "mark"],
  ),
  page(
    `${SESSION}/diff`,
    lazyRouteComponent(() => import("../diff/diff-page.tsx"), "DiffPage"),
    ["from", "to", "scope"],
  ),
  page(
    `${SESSION}/timeline`,
    lazyRouteComponent(() => import("../timeline/timeline-page.tsx"), "TimelinePage"),
    ["snap", "scale"],
  ),
  page(
    `${SESSION}/raw`,
    lazyRouteComponent(() => import("../raw/raw-page.tsx"), "RawPage"),
    ["snap"],
  ),
  page(
    `${SESSION}/artifact`,
    lazyRouteComponent(() => import("../artifact-history/history-page.tsx"), "HistoryPage"),
    ["art", "snap", "version", "view"],
  ),
  page(
    "/open",
    lazyRouteComponent(() => import("../open/open-page.tsx"), "OpenPage"),
    ["id", "session", "snapshot", "run", "trace"],
  ),
  page(
    "/runs",
    lazyRouteComponent(() => import("../runs/runs-page.tsx"), "RunsPage"),
    ["status", "agent"],
  ),
  page(
    "/traces",
    lazyRouteComponent(() => import("../traces/traces-page.tsx"), "TracesPage"),
    ["q", "status", "agent", "sessionId", "snapshotId"],
  ),
  page(
    "/traces/$trace",
    lazyRouteComponent(() => import("../traces/trace-page.tsx"), "TracePage"),
    ["span"],
  ),
  page(
    "/stats",
    lazyRouteComponent(() => import("../stats/stats-page.tsx"), "StatsPage"),
    ["agent", "range"],
  ),
  page(
    "/settings",
    lazyRouteComponent(() => import("../settings/settings-page.tsx"), "SettingsPage"),
  ),
]);

export function createStudioRouter() {
  return createRouter({
    routeTree: tree,
    basepath: new URL(document.baseURI).pathname.replace(/\/$/, "") || "/",
    scrollRestoration: true,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorView error={error} onRetry={reset} what="This page broke." />
    ),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createStudioRouter>;
  }
}
