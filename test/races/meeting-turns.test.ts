import { describe, expect, test } from "vitest";
import {
  type AcceptAnswer,
  type BusyPolicy,
  type HeadRecord,
  Ledger,
  type SessionKey,
  type Submission,
} from "../../src/ledger/index.ts";
import { openTurns } from "../../src/ledger/steps/stop-turns.ts";
import { endKey, snapshotKey } from "../../src/ledger/row-key.ts";
import type { SeededRandom } from "../chaos/seeded-random.ts";
import type { PlaceName } from "../support/places/places.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";
import { printCounts, raceCount, raceTimeoutMs, runRaces, stagger } from "./start-race.ts";

const MOST_RACES = 500;
const AT_ONCE = 20;

interface Meeting {
  readonly key: SessionKey;
  readonly answers: readonly AcceptAnswer[];
  readonly record: HeadRecord;
}

describe.each(TEST_PLACES)("on the %s store", (name) => {
  const races = raceCount(name, MOST_RACES);
  const timeout = raceTimeoutMs(races);

  test(
    "three requests with one id are one turn",
    async () => {
      const wrong = await racesThatWentWrong(name, async (ledger, key, random) => {
        const begin = random.chance(0.5);
        const same = { input: "same", requestId: "request-1", onBusy: "queue", begin } as const;
        const { answers, record } = await meet({ ledger, key, random }, [same, same, same]);
        const kinds = kindsOf(answers);
        const turns = new Set(answers.map((answer) => JSON.stringify(turnOf(answer))));
        return kinds === "accepted,repeated,repeated" && turns.size === 1 && waiting(record) === 1;
      });
      printCounts("equal-requests", { store: name, races, wrong });
      expect(wrong).toBe(0);
    },
    timeout,
  );

  test(
    "a busy session refuses two newcomers under reject, and names who holds it",
    async () => {
      const wrong = await racesThatWentWrong(name, async (ledger, key, random) => {
        const holder = await ledger.accept(key, { input: "first", begin: random.chance(0.5) });
        const newcomers = twoInputs("reject", random);
        const { answers, record } = await meet({ ledger, key, random }, newcomers);
        const named = answers.map((answer) => answer.kind === "busy" && turnOf(answer));
        const held = JSON.stringify(turnOf(holder));
        return named.every((turn) => JSON.stringify(turn) === held) && waiting(record) === 1;
      });
      printCounts("busy-reject", { store: name, races, wrong });
      expect(wrong).toBe(0);
    },
    timeout,
  );

  const fates = [
    ["reject", "exactly one is accepted", oneAccepted],
    ["queue", "both are accepted, one behind the other", bothInLine],
    ["interrupt", "both are accepted and exactly one survives", oneSurvives],
  ] as const;
  test.each(fates)(
    "two at once on an idle session under %s: %s",
    async (onBusy, _, isRight) => {
      const wrong = await racesThatWentWrong(name, async (ledger, key, random) => {
        const meeting = await meet({ ledger, key, random }, twoInputs(onBusy, random));
        return await isRight(ledger, meeting);
      });
      printCounts(`idle-${onBusy}`, { store: name, races, wrong });
      expect(wrong).toBe(0);
    },
    timeout,
  );
});

async function racesThatWentWrong(
  name: PlaceName,
  isRight: (ledger: Ledger, key: SessionKey, random: SeededRandom) => Promise<boolean>,
): Promise<number> {
  const store = await testStoreOn(name);
  const ledger = new Ledger({ store });
  let wrong = 0;
  await runRaces({ count: raceCount(name, MOST_RACES), atOnce: AT_ONCE }, async (key, random) => {
    if (!(await isRight(ledger, key, random))) wrong += 1;
  });
  return wrong;
}

async function meet(
  place: { readonly ledger: Ledger; readonly key: SessionKey; readonly random: SeededRandom },
  submissions: readonly Submission[],
): Promise<Meeting> {
  const { ledger, key, random } = place;
  const answers = await Promise.all(
    submissions.map((submission) => {
      const own = random.fork();
      return stagger(own).then(() => ledger.accept(key, submission));
    }),
  );
  const { record } = await ledger.store.load(key);
  if (record === null) throw new Error("A session that was spoken to has no record.");
  return { key, answers, record };
}

function twoInputs(onBusy: BusyPolicy, random: SeededRandom): readonly Submission[] {
  return ["one", "other"].map((input) => ({ input, onBusy, begin: random.chance(0.5) }));
}

async function oneAccepted(_: Ledger, { answers, record }: Meeting): Promise<boolean> {
  const kinds = kindsOf(answers);
  const turns = new Set(answers.map((answer) => JSON.stringify(turnOf(answer))));
  return kinds === "accepted,busy" && turns.size === 1 && waiting(record) === 1;
}

async function bothInLine(_: Ledger, { answers, record }: Meeting): Promise<boolean> {
  const line = openTurns(record).map(({ snapshotId }) => snapshotId);
  const accepted = answers.map((answer) => answer.kind === "accepted" && turnOf(answer).snapshotId);
  return line.length === 2 && accepted.every((id) => id !== false && line.includes(id));
}

async function oneSurvives(ledger: Ledger, { key, answers, record }: Meeting): Promise<boolean> {
  const open = openTurns(record).map(({ snapshotId }) => snapshotId);
  const [gone, ...more] = answers
    .map(turnOf)
    .filter(({ snapshotId }) => !open.includes(snapshotId));
  if (open.length !== 1 || gone === undefined || more.length > 0) return false;
  const names = [snapshotKey(gone.snapshotId), endKey(gone.runId)] as const;
  const { rows } = await ledger.store.load(key, { rows: names });
  const [snapshot, end] = names.map((name) => JSON.parse(rows.get(name) ?? "{}") as Ended);
  return (
    answers.every(({ kind }) => kind === "accepted") &&
    snapshot?.status === "aborted" &&
    end?.status === "aborted" &&
    end.reason === "superseded"
  );
}

function kindsOf(answers: readonly AcceptAnswer[]): string {
  return answers
    .map(({ kind }) => kind)
    .toSorted()
    .join();
}

interface Ended {
  readonly status?: string;
  readonly reason?: string;
}

function turnOf(answer: AcceptAnswer) {
  if ("turn" in answer) return answer.turn;
  throw new Error(`No turn in ${JSON.stringify(answer)}`);
}

/** How many turns run or wait. */
function waiting(record: HeadRecord): number {
  return openTurns(record).length;
}
