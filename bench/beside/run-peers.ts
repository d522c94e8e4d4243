import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { textTable } from "../text-table.ts";
import { budgetLines, checkBudgets } from "./budgets.ts";
import { compare } from "./compare.ts";
import { COMPARISON_NAMES, loadComparison } from "./comparisons.ts";
import { CURVES, fitLines } from "./curves.ts";
import { installPeers } from "./install-peers.ts";
import type { Report } from "./report.ts";
import { TABLES, tableLines } from "./tables.ts";
import { writeFigures } from "./written-figures.ts";

const USAGE_EXIT = 2;
const BUDGETED = ["turn", "prompt", "storage", "stream", "sessions", "state", "size"];
const MEASURED = COMPARISON_NAMES.filter((name) => name !== "resume");

// What is measured for what is asked.
const ASKED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(TABLES.map(({ name, report }) => [name, [report]])),
  curves: [...new Set(CURVES.map(({ report }) => report))],
  budgets: BUDGETED,
  all: MEASURED,
};

const HELP = `npm run bench:peers -- <what> [--quick] [--only turnkeep,genkit] [--json file] [--write]

  what     ${Object.keys(ASKED).join(", ")}
  --quick  small sizes, once: to see that it works
  --only   these contenders alone
  --json   puts what was found into a file
  --write  keeps it in docs/performance and writes its figures into the documents; \`all\` does so unless it is quick`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const exitCode = await run(positionals[0] ?? "");
process.exitCode ||= exitCode;

async function run(what: string): Promise<number> {
  const names = Object.hasOwn(ASKED, what) ? ASKED[what] : undefined;
  if (names === undefined) {
    console.error(`There is no "${what}" to measure.\n\n${HELP}`);
    return USAGE_EXIT;
  }
  const tell = (progress: string): void => console.error(progress);
  const only = values.only?.split(",");
  await installPeers(tell);
  const reports = new Map<string, Report>();
  for (const name of names) {
    try {
      const options = { isQuick: values.quick, tell, ...(only && { only }) };
      reports.set(name, await compare(await loadComparison(name), options));
      keep(what, reports);
    } catch (error) {
      // The others are worth having all the same.
      tell(`${name} failed: ${error instanceof Error ? error.stack : String(error)}`);
      process.exitCode = 1;
    }
  }
  return show(what, reports);
}

function keep(what: string, reports: ReadonlyMap<string, Report>): void {
  const found = [...reports.values()];
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`);
  if (values.write || (what === "all" && !values.quick)) writeFigures(found);
}

function show(what: string, reports: ReadonlyMap<string, Report>): number {
  const tables = TABLES.filter(
    ({ name, report }) =>
      what === name || (["all", "curves"].includes(what) && reports.has(report)),
  );
  for (const table of tables) {
    const report = reports.get(table.report);
    if (report) print(`${table.name}: ${report.title}`, tableLines(table, report));
  }
  const isCurved = CURVES.some(({ report }) => reports.has(report));
  if (isCurved) print("How costs grow:", fitLines(CURVES, reports));
  const { machine, versions } = [...reports.values()][0] ?? {};
  console.log(JSON.stringify({ machine, versions }));
  if (what !== "all" && what !== "budgets") return 0;
  const budgets = checkBudgets(reports);
  print("Budgets:", budgetLines(budgets));
  return budgets.some(({ isMet }) => isMet === false) ? 1 : 0;
}

function print(title: string, lines: readonly (readonly string[])[]): void {
  const plain = lines.map((line) => line.map((cell) => cell.replaceAll("**", "")));
  console.log(`${title}\n${textTable(plain)}\n`);
}
