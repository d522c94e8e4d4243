import { queryOptions } from "@tanstack/react-query";
import { fromTable, type TraceTable } from "./trace-table.ts";
import { getJson, pathOf, type Query } from "./request.ts";
import type { Span, Stats, TraceDetail, TraceSummary } from "./types.ts";

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
    queryFn: async ({ signal }): Promise<TraceDetail> =>
      fromTable(
        await getJson<TraceTable>(pathOf("traces", traceId), { query: { view: "light" }, signal }),
      ),
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
