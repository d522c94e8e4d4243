import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { infoQuery } from "../api/queries.ts";
import { tracesQuery } from "../api/trace-queries.ts";
import type { TraceSummary } from "../api/types.ts";
import { ago, dateTime, duration, plural } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Select } from "../ui/select.tsx";
import { useNow } from "../ui/use-now.ts";
import { NoTraces } from "./no-traces.tsx";
import { TraceStatus } from "./trace-status.tsx";

const route = getRouteApi("/traces");

const STATUSES = [
  ["", "any status"],
  ["running", "running"],
  ["success", "done"],
  ["error", "failed"],
] as const;

export function TracesPage(): ReactElement {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: info } = useQuery(infoQuery);
  const isCollecting = info?.capabilities.traces !== false;
  const traces = useQuery({ ...tracesQuery(search), enabled: info?.capabilities.traces === true });
  const set = (status: string): void => {
    const { status: _, ...rest } = search;
    void navigate({
      to: "/traces",
      search: status === "" ? rest : { ...rest, status },
      replace: true,
    });
  };
  return (
    <Page
      title="Traces"
      about={traces.data && plural(traces.data.total, "trace")}
      actions={
        <Select label="Status" value={search.status ?? ""} options={STATUSES} onChange={set} />
      }
    >
      {isCollecting ? (
        <QueryView query={traces} lines={8} what="The traces could not be loaded.">
          {({ traces: found, droppedTraces }) => (
            <>
              {found.length === 0 ? <NoTraces isCollecting /> : <TraceTable traces={found} />}
              {droppedTraces > 0 && (
                <p className="px-5 py-2 text-xs text-faint">
                  {plural(droppedTraces, "older trace")} had to make room.
                </p>
              )}
            </>
          )}
        </QueryView>
      ) : (
        <NoTraces isCollecting={false} />
      )}
    </Page>
  );
}

function TraceTable({ traces }: { readonly traces: readonly TraceSummary[] }): ReactElement {
  const now = useNow(5000);
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[44rem] text-left">
        <thead className="border-b border-line bg-surface text-xs text-faint">
          <tr>
            {["Name", "Status", "Agent", "Session", "Spans", "Took", "Started"].map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium first:pl-5">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {traces.map(
            ({ traceId, name, status, agentName, sessionId, spanCount, startTime, endTime }) => (
              <tr key={traceId} className="border-b border-line hover:bg-hover">
                <td className="max-w-72 truncate py-2 pr-3 pl-5">
                  <Link
                    to="/traces/$trace"
                    params={{ trace: traceId }}
                    className="font-medium hover:text-accent"
                  >
                    {name}
                  </Link>
                </td>
                <td className="px-3">
                  <TraceStatus status={status} />
                </td>
                <td className="px-3">{agentName ?? "–"}</td>
                <td className="max-w-56 truncate px-3 font-mono text-xs">{sessionId ?? "–"}</td>
                <td className="px-3 tabular-nums">{spanCount}</td>
                <td className="px-3 text-soft tabular-nums">
                  {endTime === undefined ? "…" : duration(endTime - startTime)}
                </td>
                <td className="px-3 text-soft" title={dateTime(startTime)}>
                  {ago(startTime, now)}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}
