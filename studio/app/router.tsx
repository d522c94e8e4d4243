import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
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

const agentsRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  component: lazyRouteComponent(() => import("../agents/agents-page.tsx"), "AgentsPage"),
});

const agentRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["tab"]),
  component: lazyRouteComponent(() => import("../agents/agent-page.tsx"), "AgentPage"),
});

const newSessionRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/new",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["prompt"]),
  component: lazyRouteComponent(() => import("../session/new-session-page.tsx"), "NewSessionPage"),
});

const SESSION_FILTERS = ["q", "status", "tag", "art"] as const;

const agentSessionsRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/sessions",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, SESSION_FILTERS),
  component: lazyRouteComponent(() => import("../sessions/sessions-page.tsx"), "AgentSessionsPage"),
});

const sessionsRoute = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, [...SESSION_FILTERS, "agent"]),
  component: lazyRouteComponent(() => import("../sessions/sessions-page.tsx"), "SessionsPage"),
});

const sessionRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/sessions/$session",
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ["snap", "msg", "panel", "art", "mark"]),
  component: lazyRouteComponent(() => import("../session/session-page.tsx"), "SessionPage"),
});

const diffRoute = createRoute({
  getParentRoute: () => root,
  path: "/agents/$agent/sessions/$session/diff",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["from", "to"]),
  component: lazyRouteComponent(() => import("../diff/diff-page.tsx"), "DiffPage"),
});

const runsRoute = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["status", "agent"]),
  component: lazyRouteComponent(() => import("../runs/runs-page.tsx"), "RunsPage"),
});

const tracesRoute = createRoute({
  getParentRoute: () => root,
  path: "/traces",
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ["q", "status", "agent", "sessionId", "snapshotId"]),
  component: lazyRouteComponent(() => import("../traces/traces-page.tsx"), "TracesPage"),
});

const traceRoute = createRoute({
  getParentRoute: () => root,
  path: "/traces/$trace",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["span"]),
  component: lazyRouteComponent(() => import("../traces/trace-page.tsx"), "TracePage"),
});

const statsRoute = createRoute({
  getParentRoute: () => root,
  path: "/stats",
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ["agent", "range"]),
  component: lazyRouteComponent(() => import("../stats/stats-page.tsx"), "StatsPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("../settings/settings-page.tsx"), "SettingsPage"),
});

const tree = root.addChildren([
  home,
  agentsRoute,
  agentRoute,
  newSessionRoute,
  agentSessionsRoute,
  sessionsRoute,
  sessionRoute,
  diffRoute,
  runsRoute,
  tracesRoute,
  traceRoute,
  statsRoute,
  settingsRoute,
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
