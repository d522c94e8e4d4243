import type { Reports } from "./budgets.ts";
import type { Report, ReportRow } from "./report.ts";
import { figure } from "./tables.ts";

/** One figure that tells contenders apart. */
interface Highlight {
  readonly what: string;
  readonly report: string;
  readonly metric: string;
  readonly size?: number;
}

const CONTENDERS = ["turnkeep", "genkit", "langgraph", "mastra", "openai-agents", "ai-sdk"];

const HIGHLIGHTS: readonly Highlight[] = [
  { what: "CPU of a turn after 1,000 messages, ms", report: "turn", metric: "cpuMs", size: 1000 },
  {
    what: "bytes kept of 1,000 turns, by bytes said",
    report: "storage",
    metric: "bytesRatio",
    size: 1000,
  },
  {
    what: "chunks a second, one stream over HTTP",
    report: "stream",
    metric: "chunksPerSecond",
  },
  { what: "median turn of 1,000 sessions at once, ms", report: "sessions", metric: "medianMs" },
];

/** The figures that say most, a contender to a column; with several stores, on the one that suits it best. The first line is the heading. */
export function highlightLines(reports: Reports): string[][] {
  return [
    ["", ...CONTENDERS],
    ...HIGHLIGHTS.map((highlight) => [
      `${highlight.what} (\`npm run bench:peers -- ${highlight.report}\`)`,
      ...CONTENDERS.map((contender) => bestOf(contender, highlight, reports.get(highlight.report))),
    ]),
  ];
}

function bestOf(contender: string, highlight: Highlight, report: Report | undefined): string {
  const { metric, size } = highlight;
  const own = (report?.rows ?? []).filter(
    (row) => isOf(contender, row) && (size ?? row.size) === row.size,
  );
  const values = own.flatMap(({ values: found }) => found?.[metric]?.median ?? []);
  if (values.length === 0) return own.find(({ absent }) => absent)?.absent ?? "–";
  const isMore = report?.metrics.find(({ name }) => name === metric)?.better === "more";
  return figure(isMore ? Math.max(...values) : Math.min(...values));
}

function isOf(contender: string, { subject }: ReportRow): boolean {
  return subject === contender || subject.startsWith(`${contender} `);
}
