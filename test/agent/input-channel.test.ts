import { describe, expect, test } from "vitest";
import { InputChannel } from "../../src/agent/input-channel.ts";

const END = { done: true, value: undefined };
const item = (value: number): unknown => ({ done: false, value });

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const each of items) read.push(each);
  return read;
}

describe("a channel", () => {
  test("gives items in the order they came, whether the consumer waits or not", async () => {
    const channel = new InputChannel<number>();
    const early = [channel.next(), channel.next()];
    for (const number of [1, 2, 3, 4]) channel.push(number);
    expect(await Promise.all([...early, channel.next(), channel.next()])).toEqual(
      [1, 2, 3, 4].map(item),
    );
  });

  test("gives what was pushed before it was closed, then ends for good", async () => {
    const channel = new InputChannel<number>();
    channel.push(1);
    channel.push(2);
    channel.close();
    expect(await readAll(channel)).toEqual([1, 2]);
    expect(await channel.next()).toEqual(END);
  });

  test("ends for a consumer that waits", async () => {
    const channel = new InputChannel<number>();
    const readers = [channel.next(), channel.next()];
    channel.close();
    expect(await Promise.all(readers)).toEqual([END, END]);
  });

  test("gives what was pushed before it failed, then the error once", async () => {
    const channel = new InputChannel<number>();
    channel.push(1);
    channel.fail(new RangeError("line broke"));
    expect(await channel.next()).toEqual(item(1));
    await expect(channel.next()).rejects.toThrow("line broke");
    expect(await channel.next()).toEqual(END);
  });

  test("gives the error to a consumer that waits, once", async () => {
    const channel = new InputChannel<number>();
    const readers = [channel.next(), channel.next()];
    channel.fail(new RangeError("line broke"));
    await expect(readers[0]).rejects.toThrow("line broke");
    expect(await readers[1]).toEqual(END);
    expect(await channel.next()).toEqual(END);
  });

  test("keeps to its first end", async () => {
    const closed = new InputChannel<number>();
    closed.close();
    closed.fail(new Error("late"));
    closed.close();
    expect(await closed.next()).toEqual(END);
  });

  test("fails even with undefined", async () => {
    const channel = new InputChannel<number>();
    channel.fail(undefined);
    await expect(channel.next()).rejects.toBeUndefined();
  });

  test("goes on after a consumer broke out of its loop", async () => {
    const channel = new InputChannel<number>();
    for (const number of [1, 2, 3]) channel.push(number);
    channel.close();
    for await (const number of channel) if (number === 2) break;
    expect(await readAll(channel)).toEqual([3]);
  });

  test("takes undefined as an item like any other", async () => {
    const channel = new InputChannel<undefined>();
    channel.push(undefined);
    channel.close();
    expect(await readAll(channel)).toEqual([undefined]);
  });
});

describe("pushing", () => {
  test.each(["close", "fail"] as const)("is refused after %s", async (end) => {
    const channel = new InputChannel<number>();
    channel.checkOpen();
    channel[end](new Error("gone"));
    expect(() => channel.push(1)).toThrow(
      expect.objectContaining({
        status: "FAILED_PRECONDITION",
        message: "The connection is closed.",
      }),
    );
    expect(() => channel.checkOpen()).toThrow("The connection is closed.");
    expect(channel.offer(1)).toBe(false);
    await channel.next().catch(() => undefined);
    expect(() => channel.push(1)).toThrow("The connection is closed.");
  });

  test("is refused over the limit, until something was taken", async () => {
    const channel = new InputChannel<number>({ limit: 2 });
    channel.push(1);
    channel.push(2);
    expect(() => channel.push(3)).toThrow(
      expect.objectContaining({
        status: "RESOURCE_EXHAUSTED",
        reason: "QUEUE_FULL",
        retryable: true,
      }),
    );
    expect(channel.offer(3)).toBe(false);
    await channel.next();
    channel.push(3);
    channel.close();
    expect(await readAll(channel)).toEqual([2, 3]);
  });

  test("has a limit unless told otherwise", () => {
    const channel = new InputChannel<number>();
    for (let number = 0; number < 1000; number += 1) channel.push(number);
    expect(() => channel.push(1000)).toThrow(/1000 would be waiting/);
  });

  test("counts by size, and always lets one item wait", () => {
    const channel = new InputChannel<string>({ limit: 10, sizeOf: (text) => text.length });
    expect(channel.offer("twelve chars")).toBe(true);
    expect(channel.offer("")).toBe(false);
    const other = new InputChannel<string>({ limit: 10, sizeOf: (text) => text.length });
    expect(["12345", "67890", "1"].map((text) => other.offer(text))).toEqual([true, true, false]);
  });

  test("needs no room when the consumer waits", async () => {
    const channel = new InputChannel<number>({ limit: 1 });
    const reader = channel.next();
    channel.push(1);
    channel.push(2);
    expect(await reader).toEqual(item(1));
  });

  test.each([0, -1, Number.NaN])("cannot have a limit of %d", (limit) => {
    expect(() => new InputChannel({ limit })).toThrow(/must be 1 or more/);
  });
});
