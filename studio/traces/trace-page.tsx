import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { traceQuery } from "../api/trace-queries.ts";
import type { TraceDetail } from "../api/types.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { count, duration, plural } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";
import { SpanDetail } from "./span-detail.tsx";
import { TraceStatus } from "./trace-status.tsx";
import { Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/traces/$trace");

export function TracePage(): ReactElement {
  const { trace: traceId } = route.useParams();
  const { span } = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery({
    ...traceQuery(traceId),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? 1000 : false),
  });
  const open = (next: string): void =>
    void navigate({
      to: "/traces/$trace",
      params: { trace: traceId },
      search: { span: next },
      replace: true,
    });
  return (
    <Page
      title={query.data?.name ?? "Trace"}
      about={query.data && <Summary trace={query.data} />}
      actions={query.data && <SnapshotLink trace={query.data} />}
    >
      <QueryView query={query} lines={8} what="The trace could not be loaded.">
        {(trace) => (
          <div className="flex h-full flex-col lg:flex-row">
            <div className="min-h-0 min-w-0 flex-1">
              <Waterfall trace={trace} open={span} onOpen={open} />
            </div>
            <aside
              aria-label="Span"
              className="min-h-0 overflow-auto border-line bg-surface max-lg:border-t lg:w-[30rem] lg:border-l"
            >
              {span === undefined ? (
                <EmptyView title="Choose a span.">
                  What came in and went out is shown here.
                </EmptyView>
              ) : (
                <SpanDetail key={span} traceId={traceId} spanId={span} />
              )}
            </aside>
          </div>
        )}
      </QueryView>
    </Page>
  );
}

function Summary({ trace }: { readonly trace: TraceDetail }): ReactElement {
  const { status, startTime, endTime, spans, droppedSpans, traceId } = trace;
  const sum = (side: "inputTokens" | "outputTokens"): number =>
    spans.reduce((total, span) => total + span[side], 0);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <TraceStatus status={status} />
      {endTime !== undefined && duration(endTime - startTime)}
      <span>{plural(spans.length, "span")}</span>
      {sum("inputTokens") + sum("outputTokens") > 0 && (
        <span>
          {count(sum("inputTokens"))} in, {count(sum("outputTokens"))} out
        </span>
      )}
      {droppedSpans > 0 && (
        <span className="text-warn">{plural(droppedSpans, "span")} not kept</span>
      )}
      <CopyId id={traceId} label="trace id" />
    </span>
  );
}

function SnapshotLink({ trace }: { readonly trace: TraceDetail }): ReactElement | null {
  const { agentName, sessionId, snapshotIds } = trace;
  const snap = snapshotIds.at(-1);
  if (agentName === undefined || sessionId === undefined) return null;
  return (
    <Link
      to="/agents/$agent/sessions/$session"
      params={{ agent: agentName, session: sessionId }}
      search={snap === undefined ? {} : { snap }}
      className={buttonClass({})}
    >
      Open the snapshot
    </Link>
  );
}
