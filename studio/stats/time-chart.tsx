import { type ReactElement, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./time-chart.css";
import { usePreferences } from "../app/preferences.ts";
import type { Stats } from "../api/types.ts";

const HEIGHT = 220;

/** Turns and failed turns as bars over time. */
export function TimeChart({ series }: { readonly series: Stats["series"] }): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const { theme } = usePreferences();
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const chart = new uPlot(optionsOf(box), dataOf(series), box);
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: box.clientWidth, height: HEIGHT }),
    );
    resized.observe(box);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [series, theme]);
  return <div ref={place} aria-hidden className="w-full overflow-hidden" />;
}

function dataOf(series: Stats["series"]): uPlot.AlignedData {
  return [
    series.map(({ time }) => time / 1000),
    // No bar where nothing was, not even a flat one.
    series.map(({ turns }) => turns || null),
    series.map(({ failed }) => failed || null),
  ];
}

function optionsOf(box: HTMLElement): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  const axis = {
    stroke: colour("faint"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { stroke: colour("line"), width: 1 },
    font: "11px system-ui",
  };
  const one = (label: string, name: string): uPlot.Series => ({
    label,
    fill: colour(name),
    stroke: colour(name),
    points: { show: false },
    ...(bars && { paths: bars }),
  });
  return {
    width: box.clientWidth,
    height: HEIGHT,
    cursor: { points: { show: false } },
    axes: [axis, { ...axis, size: 40 }],
    scales: { y: { range: (_, _min, max) => [0, Math.max(max * 1.1, 1)] } },
    series: [{ label: "Time" }, one("Turns", "accent"), one("Failed", "bad")],
  };
}
