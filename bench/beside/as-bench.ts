import type { BenchRow, RunBench } from "../bench-result.ts";
import { textTable } from "../text-table.ts";
import { checkBudgets } from "./budgets.ts";
import { compare } from "./compare.ts";
import { loadComparison } from "./comparisons.ts";
import type { Report } from "./report.ts";
import { TABLES, tableLines } from "./tables.ts";

// What is there without installing any peer.
const NEAR = ["turnkeep", "floor", "genkit"];

/** A comparison with those alone that need no installing, as a benchmark of its own. */
export function asBench(name: string): { readonly run: RunBench } {
  return {
    run: async () => {
      const tell = (progress: string): void => console.error(progress);
      const options = { isQuick: false, only: NEAR, tell };
      const report = await compare(await loadComparison(name), options);
      const budgets = checkBudgets(new Map([[name, report]]));
      return {
        rows: report.rows.map((row) => benchRow(name, row)),
        report: tablesOf(report),
        broken: budgets
          .filter(({ isMet }) => isMet === false)
          .map(({ what, budget, found }) => `${what}: ${found}, ${budget} allowed.`),
      };
    },
  };
}

function tablesOf(report: Report): string {
  const tables = TABLES.filter((table) => table.report === report.name);
  const texts = tables.map((table) => textTable(tableLines(table, report)));
  return [report.title, ...texts].join("\n\n");
}

function benchRow(
  name: string,
  { subject, size, values, absent }: Report["rows"][number],
): BenchRow {
  const medians = Object.entries(values ?? {}).map(([metric, { median }]) => [metric, median]);
  return { case: name, subject, size, ...Object.fromEntries(medians), absent: absent ?? null };
}
