import type { Line } from "./curves.ts";
import { figure } from "./tables.ts";

export interface ChartLabels {
  readonly title: string;
  readonly x: string;
  readonly y: string;
}

const WIDTH = 760;
const HEIGHT = 420;
const PLOT = { left: 70, top: 44, right: 590, bottom: 364 };
// Told apart in both themes, and by most who do not see all colours; the shapes of the marks help the others.
const COLOURS: readonly string[] = [
  "#0969da",
  "#bc4c00",
  "#8250df",
  "#1a7f37",
  "#bf8700",
  "#cf222e",
  "#6e7781",
  "#d1598f",
];
const STYLE = `text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: 0.3 }
@media (prefers-color-scheme: dark) { text { fill: #b1bac4 } .line { filter: brightness(1.35) } }`;

/** A drawing of lines over two logarithmic axes, as SVG. */
export function lineChart({ title, x, y }: ChartLabels, lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const across = logScale(
    points.map(({ size }) => size),
    [PLOT.left, PLOT.right],
  );
  const up = logScale(
    points.map(({ value }) => value),
    [PLOT.bottom, PLOT.top],
  );
  const middle = (PLOT.left + PLOT.right) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="${PLOT.left}" y="24">${escaped(title)}</text>`,
    ...across.ticks.map((tick) => verticalTick(across.at(tick), figure(tick))),
    ...up.ticks.map((tick) => horizontalTick(up.at(tick), figure(tick))),
    `<text x="${middle}" y="${HEIGHT - 12}" text-anchor="middle">${escaped(x)}</text>`,
    `<text transform="translate(16 ${(PLOT.top + PLOT.bottom) / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
    ...lines.map((line, index) => drawLine(line, index, { across: across.at, up: up.at })),
    ...lines.map(({ subject }, index) => drawLegend(subject, index)),
    "</svg>",
    "",
  ].join("\n");
}

interface Scale {
  readonly at: (value: number) => number;
  /** Powers of ten. */
  readonly ticks: readonly number[];
}

function logScale(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(Math.ceil(Math.log10(Math.max(...values))), least + 1);
  const at = (value: number): number =>
    round(from + ((Math.log10(value) - least) / (most - least)) * (to - from));
  const ticks = Array.from({ length: most - least + 1 }, (_, index) => 10 ** (least + index));
  return { at, ticks };
}

function verticalTick(at: number, label: string): string {
  return `<line class="grid" x1="${at}" x2="${at}" y1="${PLOT.top}" y2="${PLOT.bottom}"/><text x="${at}" y="${PLOT.bottom + 18}" text-anchor="middle">${label}</text>`;
}

function horizontalTick(at: number, label: string): string {
  return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${at}" y2="${at}"/><text x="${PLOT.left - 8}" y="${at + 4}" text-anchor="end">${label}</text>`;
}

function drawLine(
  { subject, points }: Line,
  index: number,
  { across, up }: Readonly<Record<"across" | "up", Scale["at"]>>,
): string {
  const places = points.map(({ size, value }) => [across(size), up(value)] as const);
  const path = places.map(([x, y]) => `${x},${y}`).join(" ");
  const width = subject.startsWith("turnkeep") ? 3 : 1.5;
  const marks = places.map(([x, y]) => mark(x, y, index)).join("");
  return `<g class="line" stroke="${colourOf(index)}" fill="${colourOf(index)}"><polyline points="${path}" fill="none" stroke-width="${width}"/>${marks}</g>`;
}

function drawLegend(subject: string, index: number): string {
  const y = PLOT.top + 10 + index * 20;
  const x = PLOT.right + 22;
  const line = `<g class="line" stroke="${colourOf(index)}" fill="${colourOf(index)}"><line x1="${x - 10}" x2="${x + 10}" y1="${y}" y2="${y}" stroke-width="2"/>${mark(x, y, index)}</g>`;
  return `${line}<text x="${x + 18}" y="${y + 4}">${escaped(subject)}</text>`;
}

function mark(x: number, y: number, index: number): string {
  if (index % 3 === 0) return `<circle cx="${x}" cy="${y}" r="3.5"/>`;
  if (index % 3 === 1)
    return `<rect x="${round(x - 3.5)}" y="${round(y - 3.5)}" width="7" height="7"/>`;
  return `<path d="M${x} ${round(y - 4.5)}l4.5 8h-9z"/>`;
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "";
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
