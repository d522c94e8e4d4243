import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { launchBrowser } from "../browser/launch-browser.ts";
import { json, line, markdown, text } from "./bounds/artifacts.ts";
import type { Finding, Judged } from "./bounds/finding.ts";
import { judge, tableOf } from "./bounds/judge.ts";
import { sessions, trace, tree } from "./bounds/lists.ts";
import { load, sizes } from "./bounds/loading.ts";
import type { Measurement, Stage } from "./bounds/stage.ts";
import { tabs } from "./bounds/tabs.ts";
import { messages, reading, stream } from "./bounds/talks.ts";
import { startDemo } from "./demo.ts";

// How fast the Studio is with what is large, beside how fast it has to be: `npm run studio:bounds`, with names for some of it, and `--json`.
const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  sizes,
  load,
  messages,
  stream,
  reading,
  text,
  line,
  json,
  markdown,
  tree,
  trace,
  tabs,
  // Last, since whatever lists sessions is slower with so many.
  sessions,
};
const NAMES = Object.keys(MEASUREMENTS);
const ROUNDS = 3;
const USAGE_EXIT = 2;

process.exit(await run());

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  if (!positionals.every((name) => Object.hasOwn(MEASUREMENTS, name))) {
    console.error(`Usage: npm run studio:bounds -- [--json] [${NAMES.join("|")}]...`);
    return USAGE_EXIT;
  }
  const names = positionals.length === 0 ? NAMES : positionals;
  const [load1 = 0] = loadavg();
  const demo = await startDemo();
  const browser = await launchBrowser();
  const judged = await measureAll({ browser, demo }, names);
  const about = { node: process.version, chromium: browser.version(), cores: cpus().length };
  const machine = { ...about, load: Number(load1.toFixed(2)) };
  await browser.close();
  await demo.close();
  if (values.json) console.log(JSON.stringify({ ...machine, rows: judged }));
  else console.log(`${tableOf(judged)}\n\n${JSON.stringify(machine)}`);
  return judged.every(({ isMet }) => isMet) ? 0 : 1;
}

async function measureAll(stage: Stage, names: readonly string[]): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const [place, name] of names.entries()) {
    const measurement = MEASUREMENTS[name];
    if (measurement === undefined) continue;
    const tell = (doing: string): void =>
      console.error(`${place + 1}/${names.length} ${name}: ${doing}`);
    tell("preparing");
    await measurement.prepare?.(stage);
    const rounds: (readonly Finding[])[] = [];
    const count = measurement.isOnce === true ? 1 : ROUNDS;
    for (let number = 1; number <= count; number += 1) {
      tell(`round ${number} of ${count}`);
      rounds.push(await measurement.round(stage, number));
    }
    const found = judge(rounds);
    for (const { what, value, unit } of found) tell(`${what}: ${value.toFixed(1)} ${unit}`);
    judged.push(...found);
  }
  return judged;
}
