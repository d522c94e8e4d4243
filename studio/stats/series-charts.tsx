import { lazy, type ReactElement, Suspense } from "react";
import type { Stats } from "../api/types.ts";
import { Fallback } from "../ui/fallback.tsx";
import { count, duration } from "../ui/formats.ts";
import { Skeleton } from "../ui/views.tsx";
import { Section } from "../ui/section.tsx";
import type { ChartOptions } from "./time-chart.tsx";

const TimeChart = lazy(async () => ({ default: (await import("./time-chart.tsx")).TimeChart }));

const TURNS: ChartOptions = {
  bars: [
    { label: "Turns", colour: "accent", valueOf: ({ turns }) => turns },
    { label: "Failed", colour: "bad", valueOf: ({ failed }) => failed },
  ],
  format: count,
};
const TOKENS: ChartOptions = {
  bars: [
    { label: "In", colour: "info", valueOf: ({ inputTokens }) => inputTokens },
    { label: "Out", colour: "violet", valueOf: ({ outputTokens }) => outputTokens },
  ],
  areBeside: true,
  format: count,
};
const TIMES: ChartOptions = {
  bars: [
    { label: "p50", colour: "accent", valueOf: ({ p50 }) => p50 },
    { label: "p95", colour: "violet", valueOf: ({ p95 }) => p95 },
  ],
  areBeside: true,
  format: duration,
};

/** What was over time: turns, tokens, and how long turns took. */
export function SeriesCharts({ series }: Pick<Stats, "series">): ReactElement {
  return (
    <>
      <Chart title="Turns over time" series={series} chart={TURNS} />
      <div className="grid gap-5 lg:grid-cols-2">
        <Chart title="Tokens over time" series={series} chart={TOKENS} />
        <Chart title="Time of turns" series={series} chart={TIMES} />
      </div>
      <SeriesTable series={series} />
    </>
  );
}

function Chart({
  title,
  ...shown
}: {
  readonly title: string;
  readonly series: Stats["series"];
  readonly chart: ChartOptions;
}): ReactElement {
  return (
    <Section title={title}>
      <Fallback instead={<p className="text-soft">This browser cannot draw the chart.</p>}>
        <Suspense fallback={<Skeleton />}>
          <TimeChart {...shown} />
        </Suspense>
      </Fallback>
    </Section>
  );
}

// For those who do not see the charts.
function SeriesTable({ series }: Pick<Stats, "series">): ReactElement {
  const columns = ["Time", "Turns", "Failed", "Tokens in", "Tokens out", "p50", "p95"];
  return (
    <table className="sr-only">
      <caption>Turns, tokens and times of turns over time</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {series
          .filter(({ turns }) => turns > 0)
          .map(({ time, turns, failed, inputTokens, outputTokens, p50, p95 }) => (
            <tr key={time}>
              <td>{new Date(time).toLocaleString()}</td>
              <td>{turns}</td>
              <td>{failed}</td>
              <td>{inputTokens}</td>
              <td>{outputTokens}</td>
              <td>{duration(p50 ?? 0)}</td>
              <td>{duration(p95 ?? 0)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
