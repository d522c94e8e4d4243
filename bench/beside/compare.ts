import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServices } from "../../test/support/services-start.ts";
import { CONTENDER_NAMES, loadContender } from "../contenders/contenders.ts";
import { type Comparison, type Sample, type Subject, subjectName } from "./comparison.ts";
import { versionsOf } from "./installed-versions.ts";
import { describeMachine } from "./machine.ts";
import { measureApart } from "./measure-apart.ts";
import type { Report, ReportRow } from "./report.ts";
import { summarize } from "./summary.ts";

export interface CompareOptions {
  readonly isQuick: boolean;
  /** The contenders to measure; all, unless it names some. */
  readonly only?: readonly string[];
  readonly tell: (progress: string) => void;
}

// What took longer is not measured again: a peer that needs minutes for one figure would need hours for all.
const LONGEST_REPEATED_MS = 10_000;
// Nor does anything begin once more after so long, so that all of it stays within some forty minutes.
const LAST_REPETITION_MS = 420_000;

/** Measures everybody by turns, so that whatever else the machine does hits all of them. Who fails is written down, and the others go on. */
export async function compare(
  comparison: Comparison,
  { isQuick, only, tell }: CompareOptions,
): Promise<Report> {
  const { name, title, axis, metrics, services: needed = [] } = comparison;
  const machine = describeMachine();
  const begin = Date.now();
  const subjects = subjectsOf(comparison).filter(
    ({ contender }) => only?.includes(contender) ?? true,
  );
  const services = await startServices([...needed]);
  const urls = Object.fromEntries(needed.map((one) => [one, services.running[one]?.url]));
  try {
    const cells = await cellsOf(comparison, { subjects, isQuick });
    const repetitions = isQuick ? 1 : comparison.repetitions;
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      if (repetition > 1 && Date.now() - begin > LAST_REPETITION_MS) break;
      await measureAll(comparison, cells, {
        isQuick,
        urls,
        tell: (progress) => tell(`${name} ${repetition}/${repetitions}: ${progress}`),
      });
    }
    return {
      name,
      title,
      ...(axis !== undefined && { axis }),
      metrics,
      isQuick,
      measuredAt: new Date(begin).toISOString(),
      seconds: Math.round((Date.now() - begin) / 1000),
      machine,
      versions: await versions(subjects),
      rows: cells.map(rowOf),
    };
  } finally {
    await services.stop();
  }
}

interface Surroundings {
  readonly isQuick: boolean;
  readonly urls: Readonly<Record<string, string | undefined>>;
}

interface Cell {
  readonly subject: Subject;
  readonly size: number;
  readonly samples: Sample[];
  isSlow: boolean;
  absent?: string;
}

function subjectsOf({ subjects }: Comparison): readonly Subject[] {
  return subjects ?? CONTENDER_NAMES.map((contender) => ({ contender, store: "memory" }));
}

async function cellsOf(
  { name, sizes, quickSizes = sizes }: Comparison,
  { subjects, isQuick }: { readonly subjects: readonly Subject[]; readonly isQuick: boolean },
): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  const reasons = new Map<string, string | undefined>();
  for (const { contender } of subjects) reasons.set(contender, await lackOf(contender, name));
  for (const size of isQuick ? quickSizes : sizes) {
    for (const subject of subjects) {
      const absent = reasons.get(subject.contender);
      const cell = { subject, size, samples: [], isSlow: false };
      cells.push(absent === undefined ? cell : { ...cell, absent });
    }
  }
  return cells;
}

async function lackOf(contender: string, comparison: string): Promise<string | undefined> {
  try {
    return (await loadContender(contender)).lacks[comparison];
  } catch (error) {
    return `not installed: ${String(error).split("\n")[0]}`;
  }
}

async function measureAll(
  comparison: Comparison,
  cells: readonly Cell[],
  { tell, ...surroundings }: Surroundings & Pick<CompareOptions, "tell">,
): Promise<void> {
  for (const cell of cells) {
    if (cell.absent !== undefined || cell.isSlow) continue;
    await measureCell(comparison, cell, surroundings);
    tell(describeCell(cell, comparison));
    skipLarger(cells, cell);
  }
}

async function measureCell(
  { name, secondsEach }: Comparison,
  cell: Cell,
  { isQuick, urls }: Surroundings,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-bench-"));
  const begin = performance.now();
  try {
    const { subject, size } = cell;
    const task = { subject, size, isQuick, folder, urls };
    cell.samples.push(await measureApart(name, task, secondsEach));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (cell.samples.length === 0) cell.absent = reason.replaceAll(folder, "its folder");
    else cell.isSlow = true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (performance.now() - begin > LONGEST_REPEATED_MS) cell.isSlow = true;
}

// Who gave up on a size would not do better on a larger one.
function skipLarger(cells: readonly Cell[], { subject, size, absent }: Cell): void {
  if (!absent?.startsWith("gave up")) return;
  for (const cell of cells) {
    const isLarger = subjectName(cell.subject) === subjectName(subject) && cell.size > size;
    if (isLarger) cell.absent ??= `not tried: ${absent} at ${size}`;
  }
}

function describeCell(
  { subject, size, samples, absent }: Cell,
  { axis, metrics }: Comparison,
): string {
  const [metric] = metrics;
  const value = samples.at(-1)?.[metric?.name ?? ""]?.toPrecision(4);
  const where = axis === undefined ? "" : ` at ${size}`;
  return `${subjectName(subject)}${where}: ${absent ?? `${value} (${metric?.label})`}`;
}

function rowOf({ subject, size, samples, absent }: Cell): ReportRow {
  const about = { subject: subjectName(subject), size };
  return absent === undefined ? { ...about, values: summarize(samples) } : { ...about, absent };
}

async function versions(subjects: readonly Subject[]): Promise<Readonly<Record<string, string>>> {
  const all: Record<string, string> = {};
  for (const name of new Set(subjects.map(({ contender }) => contender))) {
    try {
      Object.assign(all, versionsOf(await loadContender(name)));
    } catch {
      // Its row says that it is not installed.
    }
  }
  return all;
}
