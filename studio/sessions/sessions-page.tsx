import { useInfiniteQuery, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Download, MessageSquarePlus, Trash2 } from "virtual:icons";
import { type ReactElement, useEffect, useMemo, useState } from "react";
import { type SessionFilter, sessionsQuery } from "../api/queries.ts";
import { apiUrl, pathOf } from "../api/request.ts";
import type { SessionPage, SessionSummary } from "../api/types.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { count, plural } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { EmptyView, ErrorView, Skeleton } from "../ui/views.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ImportButton } from "./import-button.tsx";
import { SessionFilters } from "./session-filters.tsx";
import { inOrder, MOST_ORDERED, timeOfOrder } from "./session-order.ts";
import { keyOf, SessionTable } from "./session-table.tsx";

const ofAgent = getRouteApi("/agents/$agent/sessions");
const ofAll = getRouteApi("/sessions");

/** The sessions of one agent. */
export function AgentSessionsPage(): ReactElement {
  const { agent } = ofAgent.useParams();
  const search = ofAgent.useSearch();
  const navigate = useNavigate();
  const change = (next: SessionFilter): void => {
    const { agent: _, ...rest } = next;
    void navigate({
      to: "/agents/$agent/sessions",
      params: { agent },
      search: rest,
      replace: true,
    });
  };
  return <Sessions filter={{ ...search, agent }} onFilter={change} isOfOne />;
}

/** The sessions of all agents that keep any. */
export function SessionsPage(): ReactElement {
  const search = ofAll.useSearch();
  const navigate = useNavigate();
  const change = (next: SessionFilter): void =>
    void navigate({ to: "/sessions", search: next, replace: true });
  return <Sessions filter={search} onFilter={change} />;
}

function Sessions({
  filter,
  onFilter,
  isOfOne = false,
}: {
  readonly filter: SessionFilter;
  readonly onFilter: (filter: SessionFilter) => void;
  readonly isOfOne?: boolean;
}): ReactElement {
  const { agent, sort } = filter;
  const query = useInfiniteQuery(sessionsQuery(filter));
  const time = timeOfOrder(sort);
  const sessions = useMemo(
    () => inOrder(query.data?.pages.flatMap((page) => page.sessions) ?? [], sort),
    [query.data, sort],
  );
  useLoadAll(query, { isWanted: time === "createdAt" && sessions.length < MOST_ORDERED });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = sessions.filter((session) => selected.has(keyOf(session)));
  return (
    <Page
      title={isOfOne ? `Sessions of ${agent}` : "Sessions"}
      about={query.data && found(query.data.pages, { isMore: query.hasNextPage, time })}
      actions={agent !== undefined && <AgentActions agent={agent} />}
    >
      <div className="flex h-full flex-col">
        <SessionFilters filter={filter} onFilter={onFilter} isOfOne={isOfOne} />
        {chosen.length > 0 && (
          <SelectionBar chosen={chosen} onDone={() => setSelected(new Set())} />
        )}
        <div className="min-h-0 flex-1">
          {query.isPending && <Skeleton lines={10} />}
          {query.error !== null && sessions.length === 0 && (
            <ErrorView error={query.error} onRetry={() => void query.refetch()} />
          )}
          {query.data && sessions.length === 0 && !query.hasNextPage && (
            <NoSessions filter={filter} isOfOne={isOfOne} onFilter={onFilter} />
          )}
          {(sessions.length > 0 || query.hasNextPage) && (
            <SessionTable
              sessions={sessions}
              showAgent={!isOfOne}
              time={time}
              selected={selected}
              onSelect={setSelected}
              onMore={() => {
                if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
              }}
            />
          )}
        </div>
      </div>
    </Page>
  );
}

// Only who has seen all can tell which was the first.
function useLoadAll(
  query: Pick<
    UseInfiniteQueryResult,
    "hasNextPage" | "isFetchingNextPage" | "isError" | "fetchNextPage"
  >,
  { isWanted }: { readonly isWanted: boolean },
): void {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  useEffect(() => {
    if (isWanted && hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [isWanted, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
}

function found(
  pages: readonly SessionPage[],
  { isMore, time }: { readonly isMore: boolean; readonly time: "createdAt" | "updatedAt" },
): string {
  const length = pages.reduce((sum, { sessions }) => sum + sessions.length, 0);
  const scanned = pages.reduce((sum, page) => sum + page.scanned, 0);
  if (!isMore) return `${count(length)} found`;
  if (time === "createdAt") {
    return length < MOST_ORDERED
      ? `${count(length)} found among ${count(scanned)}, in order once all are loaded…`
      : `the ${count(length)} last updated, in this order; there are more: narrow the search`;
  }
  return length < scanned
    ? `${count(length)} found among ${count(scanned)}, more below`
    : `${count(length)} loaded, more below`;
}

function AgentActions({ agent }: { readonly agent: string }): ReactElement {
  return (
    <>
      <ImportButton agent={agent} />
      <Link to="/agents/$agent/new" params={{ agent }} className={buttonClass({ look: "primary" })}>
        <MessageSquarePlus aria-hidden /> New
      </Link>
    </>
  );
}

function SelectionBar({
  chosen,
  onDone,
}: {
  readonly chosen: readonly SessionSummary[];
  readonly onDone: () => void;
}): ReactElement {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-accent-wash px-5 py-1.5">
      <span className="font-medium text-accent">{plural(chosen.length, "session")} selected</span>
      <Button small look="danger" onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden /> Delete…
      </Button>
      <Button small onClick={() => chosen.forEach(exportSession)}>
        <Download aria-hidden /> Export
      </Button>
      <Button small look="quiet" onClick={onDone}>
        Clear selection
      </Button>
      {isDeleting && (
        <DeleteDialog
          sessions={chosen}
          onClose={(isDone) => {
            setDeleting(false);
            if (isDone) onDone();
          }}
        />
      )}
    </div>
  );
}

function exportSession({ agentName, sessionId }: SessionSummary): void {
  const link = document.createElement("a");
  link.href = apiUrl(`${pathOf("agents", agentName, "sessions", sessionId)}/export`);
  link.download = "";
  link.click();
}

function NoSessions({
  filter,
  isOfOne,
  onFilter,
}: {
  readonly filter: SessionFilter;
  readonly isOfOne: boolean;
  readonly onFilter: (filter: SessionFilter) => void;
}): ReactElement {
  const { agent, sort: _, ...rest } = filter;
  const isFiltered = Object.keys(rest).length > 0 || (agent !== undefined && !isOfOne);
  if (isFiltered) {
    const clear = (): void => onFilter(isOfOne && agent !== undefined ? { agent } : {});
    return (
      <EmptyView
        title="No session matches."
        action={<Button onClick={clear}>Clear filters</Button>}
      >
        {filter.in === "messages"
          ? "Looked for in ids, titles, tags, and the texts of the messages up to each head."
          : "Looked for in ids, titles and tags; what was said is searched with “also in messages”."}
      </EmptyView>
    );
  }
  const start =
    agent === undefined ? (
      <Link to="/agents" className={buttonClass({ look: "primary" })}>
        Choose an agent
      </Link>
    ) : (
      <Link to="/agents/$agent/new" params={{ agent }} className={buttonClass({ look: "primary" })}>
        Start a conversation
      </Link>
    );
  return <EmptyView title="No sessions yet." action={start} />;
}
