import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getJson, pathOf, type Query } from "./request.ts";
import type {
  AgentDetail,
  AgentSummary,
  MessagePage,
  OpenInterrupt,
  RunSummary,
  SessionDetail,
  SessionPage,
  SnapshotDetail,
  SnapshotDiff,
  SnapshotMeta,
  SnapshotPage,
  Span,
  Stats,
  StudioInfo,
  TraceDetail,
  TraceSummary,
} from "./types.ts";

// Each key starts with what changes together; `LiveBus` makes them stale by these first words.

export const infoQuery = queryOptions({
  queryKey: ["info"],
  queryFn: ({ signal }): Promise<StudioInfo> => getJson("studio/info", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: async ({ signal }): Promise<readonly AgentSummary[]> => {
    const { agents } = await getJson<{ agents: Record<string, AgentSummary> }>("agents", {
      signal,
    });
    return Object.values(agents);
  },
  staleTime: 60_000,
});

export const agentQuery = (agent: string) =>
  queryOptions({
    queryKey: ["agents", agent],
    queryFn: ({ signal }): Promise<AgentDetail> => getJson(pathOf("agents", agent), { signal }),
    staleTime: 60_000,
  });

/** What sessions are looked for by. */
export interface SessionFilter {
  readonly agent?: string;
  readonly q?: string;
  readonly status?: string;
  readonly tag?: string;
  readonly art?: string;
}

export const sessionsQuery = ({ agent, q, status, tag, art }: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ["sessions", "list", { agent, q, status, tag, art }],
    queryFn: ({ pageParam, signal }): Promise<SessionPage> => {
      const path = agent === undefined ? "sessions" : pathOf("agents", agent, "sessions");
      const query = { q, status, tag, hasArtifacts: art, limit: 200, continuationToken: pageParam };
      return getJson(path, { query, signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ continuationToken }: SessionPage) => continuationToken,
  });

/** One session, by the agent it is of. */
export interface SessionName {
  readonly agent: string;
  readonly session: string;
}

const sessionPath = ({ agent, session }: SessionName): string =>
  pathOf("agents", agent, "sessions", session);

export const sessionQuery = (name: SessionName) =>
  queryOptions({
    queryKey: ["sessions", "one", name.agent, name.session],
    queryFn: ({ signal }): Promise<SessionDetail> =>
      getJson(sessionPath(name), { query: { messages: "none" }, signal }),
  });

const PAGE = 200;
const MOST_PAGES = 25;

/** The whole tree, page by page. */
export const snapshotsQuery = (name: SessionName) =>
  queryOptions({
    queryKey: ["sessions", "tree", name.agent, name.session],
    queryFn: async ({ signal }): Promise<SnapshotPage> => {
      const path = `${sessionPath(name)}/snapshots`;
      const snapshots: SnapshotMeta[] = [];
      let last: SnapshotPage | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query: Query = { limit: PAGE, continuationToken: last?.continuationToken };
        // Each page says where the next one begins.
        // oxlint-disable-next-line no-await-in-loop
        last = await getJson<SnapshotPage>(path, { query, signal });
        snapshots.push(...last.snapshots);
        if (last.continuationToken === undefined) break;
      }
      return { ...last, total: last?.total ?? 0, snapshots };
    },
  });

export const MESSAGES_PER_PAGE = 100;

/** A window of messages; the last ones when no offset is given. */
export const messagesQuery = (
  name: SessionName,
  { snapshotId, offset }: { readonly snapshotId: string; readonly offset?: number },
) =>
  queryOptions({
    queryKey: ["messages", name.agent, name.session, snapshotId, offset ?? "last"],
    queryFn: ({ signal }): Promise<MessagePage> =>
      getJson(`${sessionPath(name)}/messages`, {
        query: { snapshotId, offset, limit: MESSAGES_PER_PAGE },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const snapshotQuery = (
  agent: string,
  snapshotId: string,
  part: "custom" | "artifacts" | "custom,artifacts,messages",
) =>
  queryOptions({
    queryKey: ["snapshot", agent, snapshotId, part],
    queryFn: ({ signal }): Promise<SnapshotDetail> =>
      getJson(pathOf("agents", agent, "snapshots", snapshotId), { query: { part }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const interruptsQuery = (agent: string, snapshotId: string) =>
  queryOptions({
    queryKey: ["snapshot", agent, snapshotId, "interrupts"],
    queryFn: ({ signal }): Promise<readonly OpenInterrupt[]> =>
      getJson(`${pathOf("agents", agent, "snapshots", snapshotId)}/interrupts`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const diffQuery = (agent: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["diff", agent, from, to],
    queryFn: ({ signal }): Promise<SnapshotDiff> =>
      getJson(`${pathOf("agents", agent)}/diff`, { query: { from, to }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const runsQuery = (query: Query) =>
  queryOptions({
    queryKey: ["runs", "list", query],
    queryFn: async ({ signal }): Promise<readonly RunSummary[]> => {
      const { runs } = await getJson<{ runs: RunSummary[] }>("runs", {
        query: { limit: 100, ...query },
        signal,
      });
      return runs;
    },
  });

export const tracesQuery = (query: Query) =>
  queryOptions({
    queryKey: ["traces", "list", query],
    queryFn: ({
      signal,
    }): Promise<{
      readonly traces: readonly TraceSummary[];
      readonly total: number;
      readonly droppedTraces: number;
    }> => getJson("traces", { query: { limit: 100, ...query }, signal }),
  });

export const traceQuery = (traceId: string) =>
  queryOptions({
    queryKey: ["traces", "one", traceId],
    queryFn: ({ signal }): Promise<TraceDetail> =>
      getJson(pathOf("traces", traceId), { query: { view: "light" }, signal }),
  });

export const spanQuery = (traceId: string, spanId: string) =>
  queryOptions({
    queryKey: ["traces", "span", traceId, spanId],
    queryFn: ({ signal }): Promise<Span> =>
      getJson(pathOf("traces", traceId, "spans", spanId), { signal }),
  });

export const statsQuery = (query: Query) =>
  queryOptions({
    queryKey: ["stats", query],
    queryFn: ({ signal }): Promise<Stats> => getJson("stats", { query, signal }),
    refetchInterval: 30_000,
  });
