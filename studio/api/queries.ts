import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { getJson, pathOf, type Query } from "./request.ts";
import type {
  AgentDetail,
  AgentSummary,
  RunSummary,
  SessionDetail,
  SessionPage,
  StudioInfo,
} from "./types.ts";

// Each key starts with what changes together; `LiveBus` makes them stale by these first words. This file comes with the first page: what only
// some pages ask for is in the files beside it.

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
  /** Whether what was said is searched too. */
  readonly in?: string;
  /** What they are put in the order of, here. */
  readonly sort?: string;
}

export const sessionsQuery = ({ agent, q, status, tag, art, in: place }: SessionFilter) =>
  infiniteQueryOptions({
    queryKey: ["sessions", "list", { agent, q, status, tag, art, place }],
    queryFn: ({ pageParam, signal }): Promise<SessionPage> => {
      const path = agent === undefined ? "sessions" : pathOf("agents", agent, "sessions");
      const query = {
        q,
        in: place,
        status,
        tag,
        hasArtifacts: art,
        limit: 200,
        continuationToken: pageParam,
      };
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

export const sessionPath = ({ agent, session }: SessionName): string =>
  pathOf("agents", agent, "sessions", session);

export const sessionQuery = (name: SessionName) =>
  queryOptions({
    queryKey: ["sessions", "one", name.agent, name.session],
    queryFn: ({ signal }): Promise<SessionDetail> =>
      getJson(sessionPath(name), { query: { messages: "none" }, signal }),
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
