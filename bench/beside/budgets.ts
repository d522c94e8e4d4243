import { findValue, type Report } from "./report.ts";
import { figure } from "./tables.ts";

/** One promise, and how it stands. */
export interface Budget {
  readonly what: string;
  readonly budget: string;
  readonly found: string;
  /** `undefined` where a figure that it takes was not measured. */
  readonly isMet: boolean | undefined;
}

export type Reports = ReadonlyMap<string, Report>;

/** What is promised, held against what was found. */
export function checkBudgets(reports: Reports): readonly Budget[] {
  const at = valueFinder(reports);
  const turn = (subject: string, size: number): number | undefined =>
    at("turn", subject, { metric: "cpuMs", size });
  const prompt = (subject: string, size: number): number | undefined =>
    at("prompt", subject, { metric: "cpuMs", size });
  const long = 1000;
  return [
    most("CPU of a turn at 1,000 messages, by that of an empty session's", 1.5, {
      found: ratio(turn("turnkeep", long), turn("turnkeep", 0)),
    }),
    least("Genkit's CPU of a turn by ours, empty session", 5, {
      found: ratio(turn("genkit", 0), turn("turnkeep", 0)),
    }),
    least("Genkit's CPU of a turn by ours, at 1,000 messages", 100, {
      found: ratio(turn("genkit", long), turn("turnkeep", long)),
    }),
    ...[0, 100, long].map((size) =>
      most(
        `CPU of a prompt's turn by that of Genkit's run in a session of that id, at ${figure(size)} messages`,
        1,
        {
          found: ratio(prompt("turnkeep", size), prompt("genkit run", size)),
        },
      ),
    ),
    ...["sqlite", "file", "postgres", "redis"].map((store) =>
      most(`bytes of a talk of 1,000 turns by bytes said, ${store}`, 1.5, {
        found: at("storage", `turnkeep ${store}`, { metric: "bytesRatio", size: long }),
      }),
    ),
    most("CPU of turn 1,000 by that of turn 10, SQLite", 1.5, {
      found: ratio(
        at("storage", "turnkeep sqlite", { metric: "cpuMs", size: long }),
        at("storage", "turnkeep sqlite", { metric: "cpuMs", size: 10 }),
      ),
    }),
    most(
      "coming back to 1,000 turns, SQLite, by reading and parsing a file that holds the same",
      3,
      {
        found: ratio(
          at("storage", "turnkeep sqlite", { metric: "warmMs", size: long }),
          at("storage", "floor lines", { metric: "warmMs", size: long }),
        ),
      },
    ),
    least("chunks a second by those of a bare server", 0.7, {
      found: ratio(
        at("stream", "turnkeep", { metric: "chunksPerSecond" }),
        at("stream", "floor", { metric: "chunksPerSecond" }),
      ),
    }),
    most("median turn of 1,000 sessions at once by that of a bare server", 1.5, {
      found: ratio(
        at("sessions", "turnkeep", { metric: "medianMs" }),
        at("sessions", "floor", { metric: "medianMs" }),
      ),
    }),
    most("memory of one of 1,000 sessions, KiB", 64, {
      found: at("sessions", "turnkeep", { metric: "kibPerSession" }),
    }),
    most("one field changed in a state of 1 MB, ms", 0.1, {
      found: at("state", "turnkeep", { metric: "wallMs", size: 1_000_000 }),
    }),
    most("client in a page, kB gzip", 8, { found: at("size", "turnkeep", { metric: "clientKb" }) }),
    most("dependencies of our own", 3, {
      found: at("size", "turnkeep", { metric: "dependencies" }),
    }),
  ];
}

/** As lines of a table. The first is the heading. */
export function budgetLines(budgets: readonly Budget[]): string[][] {
  const word = { true: "met", false: "**not met**", undefined: "not measured" };
  return [
    ["what", "budget", "found", ""],
    ...budgets.map(({ what, budget, found, isMet }) => [what, budget, found, word[`${isMet}`]]),
  ];
}

type Found = { readonly found: number | undefined };

function most(what: string, limit: number, { found }: Found): Budget {
  const isMet = found === undefined ? undefined : found <= limit;
  return { what, budget: `at most ${figure(limit)}`, found: figure(found), isMet };
}

function least(what: string, limit: number, { found }: Found): Budget {
  const isMet = found === undefined ? undefined : found >= limit;
  return { what, budget: `at least ${figure(limit)}`, found: figure(found), isMet };
}

function ratio(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one / other;
}

function valueFinder(
  reports: Reports,
): (
  report: string,
  subject: string,
  where: { readonly metric: string; readonly size?: number },
) => number | undefined {
  return (name, subject, where) => {
    const report = reports.get(name);
    return report === undefined ? undefined : findValue(report, subject, where);
  };
}
