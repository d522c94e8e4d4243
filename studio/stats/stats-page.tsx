import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactElement, useMemo } from "react";
import { agentsQuery } from "../api/queries.ts";
import { statsQuery } from "../api/trace-queries.ts";
import type { CallStats, Stats } from "../api/types.ts";
import { count, duration, plural, tokensOf } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { useMoney } from "../ui/use-money.ts";
import { EmptyView } from "../ui/views.tsx";
import { SeriesCharts } from "./series-charts.tsx";

const route = getRouteApi("/stats");
const HOUR = 3_600_000;
const RANGES: Readonly<Record<string, readonly [words: string, hours: number]>> = {
  "1h": ["last hour", 1],
  "24h": ["last 24 hours", 24],
  "7d": ["last 7 days", 168],
  "30d": ["last 30 days", 720],
};

export function StatsPage(): ReactElement {
  const { agent, range = "24h" } = route.useSearch();
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const hours = RANGES[range]?.[1] ?? 24;
  // Asked for by the minute, so that the question stays the same for a while.
  const to = Math.ceil(Date.now() / 60_000) * 60_000;
  const from = useMemo(() => to - hours * HOUR, [to, hours]);
  const stats = useQuery(statsQuery({ agent, from, to }));
  const set = (change: { readonly agent?: string; readonly range?: string }): void => {
    const next = Object.entries({ agent, range, ...change }).filter(([, value]) => value);
    void navigate({ to: "/stats", search: Object.fromEntries(next), replace: true });
  };
  const names = agents.filter(({ hasStore }) => hasStore).map(({ name }) => [name, name] as const);
  return (
    <Page
      title="Stats"
      about={stats.data && countedText(stats.data)}
      actions={
        <>
          <Select
            label="Agent"
            value={agent ?? ""}
            options={[["", "any agent"], ...names]}
            onChange={(value) => set({ agent: value })}
          />
          <Select
            label="Time"
            value={range}
            options={Object.entries(RANGES).map(([one, [words]]) => [one, words] as const)}
            onChange={(value) => set({ range: value })}
          />
        </>
      }
    >
      <QueryView query={stats} lines={8} what="The numbers could not be loaded.">
        {(data) =>
          data.turns.total === 0 ? (
            <EmptyView title="No turn ended in this time." />
          ) : (
            <Numbers stats={data} />
          )
        }
      </QueryView>
    </Page>
  );
}

function countedText({ counted: { sessions, turns, isComplete } }: Stats): string {
  const what = `${plural(turns, "turn")} of ${plural(sessions, "session")}`;
  return isComplete ? what : `the last ${what}; there are more`;
}

function Numbers({ stats }: { readonly stats: Stats }): ReactElement {
  const { turns, usage, cost, durationMs, series, byModel = {}, byTool = {} } = stats;
  const { money } = useMoney();
  const failed = turns.byStatus["failed"] ?? 0;
  const { input, output } = tokensOf(usage);
  return (
    // In the order of the Tab key, so that it can be scrolled by keys.
    <div role="region" aria-label="Numbers" tabIndex={0} className="flex flex-col gap-5 p-5">
      <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        <Tile name="Turns" value={count(turns.total)} about={`${count(failed)} failed`} />
        <Tile
          name="Error rate"
          value={`${((failed / turns.total) * 100).toFixed(1)} %`}
          about={Object.keys(stats.errors).join(", ") || "no errors"}
        />
        <Tile
          name="Tokens"
          value={count(input + output)}
          about={`${count(input)} in, ${count(output)} out`}
        />
        {cost !== undefined && (
          <Tile
            name="Cost"
            value={money(cost.amount) ?? "–"}
            about={`${plural(cost.turns, "turn")} with a price`}
          />
        )}
        <Tile
          name="Time of a turn"
          value={durationMs?.p50 === undefined ? "–" : duration(durationMs.p50)}
          about={
            durationMs?.p95 === undefined
              ? ""
              : `median; p95 ${duration(durationMs.p95)}, p99 ${duration(durationMs.p99 ?? 0)}`
          }
        />
      </dl>
      <SeriesCharts series={series} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Section title="Models">
          <CallTable calls={byModel} />
        </Section>
        <Section title="Tools">
          <CallTable calls={byTool} />
        </Section>
      </div>
      <p className="text-xs text-faint">
        {cost === undefined
          ? "What this cost is not shown: no prices were given to the server, and none are guessed."
          : "Cost is by the prices that the server was given; they stand in the settings."}
      </p>
    </div>
  );
}

function Tile({
  name,
  value,
  about,
}: {
  readonly name: string;
  readonly value: string;
  readonly about: string;
}): ReactElement {
  return (
    <div className="rounded-lg border border-line bg-surface p-4">
      <dt className="text-xs font-medium text-faint">{name}</dt>
      <dd className="mt-1 text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
      <dd className="text-xs text-soft">{about}</dd>
    </div>
  );
}

function CallTable({
  calls,
}: {
  readonly calls: Readonly<Record<string, CallStats>>;
}): ReactElement {
  const rows = Object.entries(calls).toSorted(([, left], [, right]) => right.calls - left.calls);
  if (rows.length === 0) {
    return <p className="text-soft">None was traced in this time.</p>;
  }
  return (
    <table className="w-full text-left">
      <thead className="text-xs text-faint">
        <tr>
          {["Name", "Calls", "Errors", "p50", "p95"].map((name) => (
            <th key={name} scope="col" className="pb-1 font-medium">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, { calls: total, errors, durationMs }]) => (
          <tr key={name} className="border-t border-line">
            <td className="truncate py-1 pr-2 font-mono text-xs">{name}</td>
            <td className="tabular-nums">{count(total)}</td>
            <td className={errors > 0 ? "text-bad tabular-nums" : "tabular-nums"}>
              {count(errors)}
            </td>
            <td className="tabular-nums">{duration(durationMs?.p50 ?? 0)}</td>
            <td className="tabular-nums">{duration(durationMs?.p95 ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
