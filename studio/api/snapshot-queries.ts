import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type SessionName, sessionPath } from "./queries.ts";
import { getJson, pathOf, type Query } from "./request.ts";
import type {
  MessagePage,
  OpenInterrupt,
  SnapshotDetail,
  SnapshotDiff,
  SnapshotMeta,
  SnapshotPage,
} from "./types.ts";

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

/** The places of the messages that say a text. */
export const findTextQuery = (name: SessionName, snapshotId: string, text: string) =>
  queryOptions({
    queryKey: ["messages", name.agent, name.session, snapshotId, "find", text],
    queryFn: async ({ signal }): Promise<readonly number[]> => {
      const query = { snapshotId, q: text, limit: 1 };
      const path = `${sessionPath(name)}/messages`;
      return (await getJson<{ readonly found: readonly number[] }>(path, { query, signal })).found;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const snapshotQuery = (
  agent: string,
  snapshotId: string,
  part?: "custom" | "artifacts" | "custom,artifacts,messages",
) =>
  queryOptions({
    queryKey: ["snapshot", agent, snapshotId, part ?? "all"],
    queryFn: ({ signal }): Promise<SnapshotDetail> =>
      getJson(pathOf("agents", agent, "snapshots", snapshotId), { query: { part }, signal }),
    // One that is still being written may have been ended by now.
    staleTime: ({ state }) => (state.data?.status === "pending" ? 0 : Number.POSITIVE_INFINITY),
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

/** An artifact as it was from one snapshot on. */
export interface ArtifactVersion {
  readonly snapshotId: string;
  readonly createdAt: string;
  /** Its place among the snapshot's artifacts; none where it was taken away. */
  readonly index?: number;
  readonly bytes?: number;
}

interface ArtifactHistory {
  readonly versions: readonly ArtifactVersion[];
  readonly next?: string;
}

export const artifactHistoryQuery = (agent: string, snapshotId: string, name: string) =>
  infiniteQueryOptions({
    queryKey: ["snapshot", agent, snapshotId, "artifact", name],
    queryFn: ({ pageParam, signal }): Promise<ArtifactHistory> =>
      getJson(`${pathOf("agents", agent, "snapshots", pageParam)}/artifact-history`, {
        query: { name },
        signal,
      }),
    initialPageParam: snapshotId,
    getNextPageParam: ({ next }: ArtifactHistory) => next,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What an id names. */
export type FoundById =
  | {
      readonly kind: "session" | "snapshot" | "run";
      readonly agentName: string;
      readonly sessionId: string;
      readonly snapshotId?: string;
    }
  | { readonly kind: "trace"; readonly traceId: string };

export const findQuery = (id: string) =>
  queryOptions({
    queryKey: ["find", id],
    queryFn: ({ signal }): Promise<{ readonly found: readonly FoundById[] }> =>
      getJson("studio/find", { query: { id }, signal }),
  });
