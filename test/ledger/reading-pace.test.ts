import { expect, it } from "vitest";
import { ReadingPace } from "../../src/ledger/reading-pace.ts";

const PAGE = 128 * 1024;

/** A pace whose event loop turns when told, and who was admitted by then. */
function pace() {
  const reading = new ReadingPace();
  const admitted: number[] = [];
  const asleep: (() => void)[] = [];
  const timers = {
    sleep: () => new Promise<void>((wake) => asleep.push(wake)),
    after: () => () => {},
  };
  const ask = (reader: number, characters: number): void => {
    const waiting = reading.admit(characters, timers);
    if (waiting === undefined) admitted.push(reader);
    else void waiting.then(() => admitted.push(reader));
  };
  const turn = async (): Promise<void> => {
    for (const wake of asleep.splice(0)) wake();
    await new Promise(setImmediate);
  };
  return { admitted, asleep, ask, turn };
}

it("so many read at once, and the others in their turn, in the order they came", async () => {
  const { admitted, ask, turn } = pace();
  for (let reader = 1; reader <= 10; reader += 1) ask(reader, PAGE);
  expect(admitted).toEqual([1, 2, 3, 4]);
  await turn();
  expect(admitted).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  ask(11, PAGE);
  await turn();
  expect(admitted.slice(8)).toEqual([9, 10, 11]);
});

it("those who read little never wait for each other", async () => {
  const { admitted, ask } = pace();
  for (let reader = 0; reader < 1000; reader += 1) ask(reader, 500);
  expect(admitted).toHaveLength(1000);
});

it("nothing is set while nobody reads", async () => {
  const { admitted, asleep, ask, turn } = pace();
  ask(1, 0);
  expect(asleep).toHaveLength(0);
  ask(2, 10 * PAGE);
  await turn();
  expect(asleep).toHaveLength(0);
  ask(3, PAGE);
  expect(admitted).toEqual([1, 2, 3]);
});
