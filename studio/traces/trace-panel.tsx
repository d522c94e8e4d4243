import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { infoQuery } from "../api/queries.ts";
import { tracesQuery } from "../api/trace-queries.ts";
import { duration, plural } from "../ui/formats.ts";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";
import { NoTraces } from "./no-traces.tsx";
import { TraceStatus } from "./trace-status.tsx";

/** The traces of one snapshot's turn. */
export function TracePanel({
  snapshotId,
}: {
  readonly snapshotId: string | undefined;
}): ReactElement {
  const { data: info } = useQuery(infoQuery);
  const isAsked = snapshotId !== undefined && info?.capabilities.traces === true;
  const traces = useQuery({ ...tracesQuery({ snapshotId }), enabled: isAsked });
  if (snapshotId === undefined) return <EmptyView title="No turn has ended yet." />;
  if (info && !info.capabilities.traces) return <NoTraces isCollecting={false} />;
  return (
    <QueryView query={traces} what="The traces could not be loaded.">
      {({ traces: found }) =>
        found.length === 0 ? (
          <NoTraces isCollecting />
        ) : (
          <ul className="flex flex-col gap-2 p-4">
            {found.map((trace) => (
              <li key={trace.traceId}>
                <Link
                  to="/traces/$trace"
                  params={{ trace: trace.traceId }}
                  className="flex items-center gap-3 rounded-md border border-line px-3 py-2 hover:bg-hover"
                >
                  <TraceStatus status={trace.status} />
                  <span className="min-w-0 flex-1 truncate font-medium">{trace.name}</span>
                  <span className="text-xs text-faint">
                    {plural(trace.spanCount, "span")}
                    {trace.endTime !== undefined &&
                      ` · ${duration(trace.endTime - trace.startTime)}`}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  );
}
