import { dirname, join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { type SystemCall, traceCalls } from "../../support/strace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const CHILD = new URL("child.ts", import.meta.url);
// Enough for the first commit, for many entries, and for two folds: the second takes away what the first left behind.
const COMMITS = 70;

/** A link or rename: what it moves, and where. */
interface Move extends SystemCall {
  readonly from: string;
  readonly to: string;
}

class Trace {
  readonly calls: readonly SystemCall[];
  readonly moves: readonly Move[];

  constructor(calls: readonly SystemCall[]) {
    this.calls = calls;
    this.moves = calls
      .filter(({ name }) => /^(link|rename)/.test(name))
      .map((call) => {
        const [from = "", to = ""] = [...call.text.matchAll(/"([^"]+)"/g)].map(
          ([, path = ""]) => path,
        );
        return { ...call, from, to };
      });
  }

  /** Whether the path was waited for, from its beginning to its end between these two moments. */
  isSynced(path: string, after: number, before: number): boolean {
    return this.calls.some(
      ({ name, text, begin, end }) =>
        name === "fsync" && text.includes(`<${path}>`) && begin > after && end < before,
    );
  }

  getMove(isIt: (move: Move) => boolean): Move {
    return present(this.moves.find(isIt));
  }

  getAcknowledgement(number: number): SystemCall {
    return present(this.calls.find(({ text }) => text.includes(`"acknowledged ${number}\\n"`)));
  }
}

function present<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error("The trace lacks a call.");
  return item;
}

async function traceCommits(context: TestContext, folder: string): Promise<Trace> {
  return new Trace(await traceCalls(context, CHILD, ["acknowledge", folder, String(COMMITS)]));
}

it("waits for the file before it is linked, and for the folder before it answers", async (context) => {
  const folder = temporaryFolder();
  const trace = await traceCommits(context, folder);
  const entries = trace.moves.filter(({ to }) => to.endsWith(".entry"));
  for (const { from, to, begin } of entries)
    expect(trace.isSynced(from, -1, begin), `${from} before it is ${to}`).toBe(true);
  // The commits' own: the seal of a fold is linked from a folder of its own.
  const own = entries.filter(({ from }) => dirname(from) === join(folder, "temporary"));
  for (let number = 2; number <= COMMITS; number += 1) {
    const answer = trace.getAcknowledgement(number).begin;
    const before = trace.getAcknowledgement(number - 1).end;
    const between = own.filter(({ begin }) => begin > before && begin < answer);
    expect(between, `entry of commit ${number}`).toHaveLength(1);
    for (const { to, end } of between)
      expect(trace.isSynced(dirname(to), end, answer), `folder of ${to}`).toBe(true);
  }
});

it("waits for everything on the way to a new session before it answers", async (context) => {
  const folder = temporaryFolder();
  const sessions = join(folder, "sessions");
  const trace = await traceCommits(context, folder);
  const made = trace.getMove(({ to }) => dirname(dirname(to)) === sessions);
  const answer = trace.getAcknowledgement(1).begin;
  const inside = trace.calls.filter(
    ({ name, text, end }) =>
      name === "fsync" && text.includes(`<${made.from}/`) && end < made.begin,
  );
  // The base, its generation and its life; then the session itself.
  expect(inside).toHaveLength(3);
  expect(inside[0]?.text).toContain(".base>");
  expect(trace.isSynced(made.from, -1, made.begin)).toBe(true);
  for (const path of [dirname(made.to), sessions])
    expect(trace.isSynced(path, made.end, answer), path).toBe(true);
  for (const path of [folder, dirname(folder)])
    expect(trace.isSynced(path, -1, answer), path).toBe(true);
});

it("waits for a generation before it is sealed, for the seal before it moves, and for that before the old one goes", async (context) => {
  const folder = temporaryFolder();
  const trace = await traceCommits(context, folder);
  const seal = trace.getMove(({ from }) => from.endsWith("/seal"));
  const prepared = dirname(seal.from);
  const base = trace.calls.find(
    ({ name, text }) =>
      name === "fsync" && text.includes(`<${prepared}/`) && text.includes(".base>"),
  );
  expect(base?.end).toBeLessThan(seal.begin);
  for (const path of [prepared, join(folder, "temporary")])
    expect(trace.isSynced(path, base?.end ?? 0, seal.begin), path).toBe(true);
  const installed = trace.getMove(({ from }) => from === prepared);
  expect(trace.isSynced(dirname(seal.to), seal.end, installed.begin)).toBe(true);
  const retired = trace.getMove(({ to }) => to.includes("/dead-"));
  const second = trace.moves.filter(({ from }) => from.endsWith("/seal"))[1];
  const next = trace.getMove(({ from }) => from === dirname(second?.from ?? ""));
  expect(trace.isSynced(dirname(next.to), next.end, retired.begin)).toBe(true);
});
