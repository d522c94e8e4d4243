import { type ReactElement, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./time-chart.css";
import { usePreferences } from "../app/preferences.ts";
import type { Stats } from "../api/types.ts";
import { dateTime } from "../ui/formats.ts";

const HEIGHT = 220;

type Series = Stats["series"];

/** One kind of bars: what they are called, their colour, and how high they are. */
export interface Bars {
  readonly label: string;
  readonly colour: "accent" | "bad" | "info" | "violet";
  readonly valueOf: (point: Series[number]) => number | null;
}

/** What a chart shows of the series. */
export interface ChartOptions {
  readonly bars: readonly [Bars, Bars];
  /** The second is not part of the first. */
  readonly areBeside?: boolean;
  /** How a value is written. */
  readonly format: (value: number) => string;
}

/** Two kinds of bars over time. */
export function TimeChart({
  series,
  chart,
}: {
  readonly series: Series;
  readonly chart: ChartOptions;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const { theme } = usePreferences();
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const plot = new uPlot(optionsOf(box, chart), dataOf(series, chart), box);
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: box.clientWidth, height: HEIGHT }),
    );
    resized.observe(box);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [series, chart, theme]);
  return <div ref={place} aria-hidden className="w-full overflow-hidden" />;
}

function dataOf(series: Series, { bars }: ChartOptions): uPlot.AlignedData {
  const times = series.map(({ time }) => time / 1000);
  // No bar where nothing was, not even a flat one.
  const [first, second] = bars.map(({ valueOf }) => series.map((point) => valueOf(point) || null));
  return [times, first ?? [], second ?? []];
}

function optionsOf(
  box: HTMLElement,
  { bars, areBeside = false, format }: ChartOptions,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colourOf = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colourOf("faint"),
    grid: { stroke: colourOf("line"), width: 1 },
    ticks: { stroke: colourOf("line"), width: 1 },
    font: "11px system-ui",
  };
  const one = ({ label, colour }: Bars, align: -1 | 0 | 1): uPlot.Series => {
    const paths = uPlot.paths.bars?.({ size: areBeside ? [0.35, 20] : [0.7, 40], align });
    return {
      label,
      fill: colourOf(colour),
      stroke: colourOf(colour),
      points: { show: false },
      value: (_, value) => (value === null ? "" : format(value)),
      ...(paths && { paths }),
    };
  };
  const [first, second] = bars;
  return {
    width: box.clientWidth,
    height: HEIGHT,
    cursor: { points: { show: false } },
    axes: [axis, { ...axis, size: 56, values: (_, splits) => splits.map(format) }],
    scales: {
      x: { range: withMargins },
      y: { range: (_, _min, max) => [0, Math.max(max * 1.1, 1)] },
    },
    series: [{ value: timeText }, one(first, areBeside ? -1 : 0), one(second, areBeside ? 1 : 0)],
  };
}

// Nothing, where nobody points.
function timeText(_: uPlot, seconds: number | null): string {
  return seconds === null ? "" : dateTime(seconds * 1000);
}

// So that the first bar and the last are not cut.
function withMargins(_: uPlot, min: number, max: number): uPlot.Range.MinMax {
  const margin = (max - min) / 40;
  return [min - margin, max + margin];
}
