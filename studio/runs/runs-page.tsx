import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Ban, HeartPulse, Radio } from "virtual:icons";
import { type ReactElement, useState } from "react";
import { agentsQuery, runsQuery } from "../api/queries.ts";
import { pathOf, sendJson } from "../api/request.ts";
import type { RunSummary } from "../api/types.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ago, dateTime, duration } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Select } from "../ui/select.tsx";
import { Status, type StatusWord } from "../ui/status.tsx";
import { useNow } from "../ui/use-now.ts";
import { EmptyView } from "../ui/views.tsx";

const route = getRouteApi("/runs");
const FILTERS = [
  ["", "All"],
  ["running", "Running"],
  ["queued", "Queued"],
  ["expired", "Expired"],
  ["completed", "Done"],
  ["failed", "Failed"],
  ["aborted", "Aborted"],
] as const;

/** The runs of all agents, whatever process they run in. */
export function RunsPage(): ReactElement {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  // A heartbeat changes nothing that anybody is told of, so it is asked for.
  const runs = useQuery({ ...runsQuery(search), refetchInterval: 5000 });
  const set = (change: Readonly<Record<string, string>>): void => {
    const next = Object.entries({ ...search, ...change }).filter(([, value]) => value !== "");
    void navigate({ to: "/runs", search: Object.fromEntries(next), replace: true });
  };
  const names = agents.filter(({ hasStore }) => hasStore).map(({ name }) => [name, name] as const);
  return (
    <Page
      title="Runs"
      actions={
        <Select
          label="Agent"
          value={search.agent ?? ""}
          options={[["", "any agent"], ...names]}
          onChange={(agent) => set({ agent })}
        />
      }
    >
      <div
        role="group"
        aria-label="Status"
        className="flex flex-wrap gap-1 border-b border-line bg-surface px-5 py-2"
      >
        {FILTERS.map(([status, label]) => (
          <button
            key={status}
            type="button"
            aria-pressed={(search.status ?? "") === status}
            onClick={() => set({ status })}
            className={classNames(
              "rounded-full px-2.5 py-0.5 font-medium",
              (search.status ?? "") === status
                ? "bg-accent-wash text-accent"
                : "text-soft hover:bg-hover",
            )}
          >
            {label}
          </button>
        ))}
      </div>
      <QueryView query={runs} lines={8} what="The runs could not be loaded.">
        {(all) =>
          all.length === 0 ? (
            <EmptyView title="No runs here.">
              A run begins whenever an agent is given something to do.
            </EmptyView>
          ) : (
            <RunTable runs={all} />
          )
        }
      </QueryView>
    </Page>
  );
}

const WORDS: Readonly<Record<RunSummary["status"], StatusWord>> = {
  running: "running",
  queued: "queued",
  open: "open",
  expired: "expired",
  completed: "done",
  failed: "failed",
  aborted: "aborted",
};

// A session opens at its head, which is the last good one when a worker went silent after it.
function openingOf({ status, parentId }: RunSummary): string {
  if (status === "running" || status === "queued") return "Attach";
  return status === "expired" && parentId !== undefined ? "Open last good" : "Open";
}

function RunTable({ runs }: { readonly runs: readonly RunSummary[] }): ReactElement {
  const [aborting, setAborting] = useState<RunSummary>();
  const now = useNow(1000);
  return (
    // What is only read aloud has a place too: in here, and not beyond the page's edge.
    <div className="relative overflow-x-auto">
      <table className="w-full min-w-[52rem] text-left">
        <thead className="border-b border-line bg-surface text-xs text-faint">
          <tr>
            {["Status", "Agent", "Session", "Started", "Took", "Heartbeat", "Where"].map((name) => (
              <th key={name} scope="col" className="px-3 py-2 font-medium first:pl-5">
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.runId} run={run} now={now} onAbort={() => setAborting(run)} />
          ))}
        </tbody>
      </table>
      {aborting && <AbortDialog run={aborting} onClose={() => setAborting(undefined)} />}
    </div>
  );
}

function RunRow({
  run,
  now,
  onAbort,
}: {
  readonly run: RunSummary;
  readonly now: number;
  readonly onAbort: () => void;
}): ReactElement {
  const { runId, agentName, sessionId, status, startedAt, endedAt, isHere, isDetached, traceId } =
    run;
  const isLive = status === "running" || status === "queued" || status === "expired";
  const params = { agent: agentName, session: sessionId };
  return (
    <tr data-run={runId} className="border-b border-line hover:bg-hover">
      <td className="py-2 pr-3 pl-5">
        <Status word={WORDS[status]} />
      </td>
      <td className="px-3">{agentName}</td>
      <td className="max-w-56 truncate px-3">
        <Link
          to="/agents/$agent/sessions/$session"
          params={params}
          className="font-mono text-xs hover:text-accent"
        >
          {sessionId}
        </Link>
      </td>
      <td className="px-3 text-soft" title={dateTime(startedAt)}>
        {ago(startedAt, now)}
      </td>
      <td className="px-3 text-soft tabular-nums">
        {duration(Math.max((endedAt ?? now) - startedAt, 0))}
      </td>
      <td className="px-3">
        <Heartbeat run={run} now={now} />
      </td>
      <td className="px-3 text-soft">
        {isLive ? (isHere ? "this process" : "another process") : "–"}
        {isDetached && ", in the background"}
      </td>
      <td className="py-1.5 pr-5">
        <span className="flex justify-end gap-1.5">
          {traceId !== undefined && (
            <Link
              to="/traces/$trace"
              params={{ trace: traceId }}
              className={buttonClass({ look: "quiet", small: true })}
            >
              Trace
            </Link>
          )}
          <Link
            to="/agents/$agent/sessions/$session"
            params={params}
            className={buttonClass({ small: true })}
          >
            {status === "running" && <Radio aria-hidden />} {openingOf(run)}
          </Link>
          {isLive && (
            <Button small look="danger" onClick={onAbort}>
              <Ban aria-hidden /> Abort
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function Heartbeat({
  run: { heartbeatAt, status, attempt = 1 },
  now,
}: {
  readonly run: RunSummary;
  readonly now: number;
}): ReactElement {
  if (heartbeatAt === undefined) return <span className="text-faint">–</span>;
  const colour = status === "expired" ? "text-bad" : "text-good";
  return (
    <span className="flex items-center gap-1.5">
      <HeartPulse className={`size-3.5 ${colour}`} aria-hidden /> {ago(heartbeatAt, now)}
      {attempt > 1 && <span className="text-warn">attempt {attempt}</span>}
    </span>
  );
}

function AbortDialog({
  run: { runId, agentName },
  onClose,
}: {
  readonly run: RunSummary;
  readonly onClose: () => void;
}): ReactElement {
  const client = useQueryClient();
  const aborting = useMutation({
    mutationFn: () => sendJson("POST", `${pathOf("runs", runId)}/abort`),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["runs"] });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Abort this run of ${agentName}?`}
      about="What it has said so far stays; its turn counts as aborted."
      onClose={onClose}
    >
      {aborting.error && (
        <p role="alert" className="mb-3 text-bad">
          {aborting.error.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Let it run</Button>
        <Button look="danger" disabled={aborting.isPending} onClick={() => aborting.mutate()}>
          Abort it
        </Button>
      </div>
    </Dialog>
  );
}
