import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { Broadcast } from "../../src/agent/broadcast.ts";

const END = { done: true, value: undefined };

async function readAll<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const each of items) read.push(each);
  return read;
}

describe("a broadcast", () => {
  test("gives every subscriber everything from its subscription on", async () => {
    const broadcast = new Broadcast<number>();
    const first = broadcast.subscribe();
    broadcast.publish(1);
    const second = broadcast.subscribe();
    broadcast.publish(2);
    broadcast.close();
    expect(await readAll(first)).toEqual([1, 2]);
    expect(await readAll(second)).toEqual([2]);
  });

  test("wakes subscribers that wait", async () => {
    const broadcast = new Broadcast<number>();
    const readers = [broadcast.subscribe().next(), broadcast.subscribe().next()];
    broadcast.publish(1);
    expect(await Promise.all(readers)).toEqual([
      { done: false, value: 1 },
      { done: false, value: 1 },
    ]);
  });

  test("to nobody is no mistake", () => {
    const broadcast = new Broadcast<number>();
    broadcast.publish(1);
    broadcast.close();
    broadcast.publish(2);
    expect(broadcast.subscribers).toBe(0);
  });

  test("ends at once for those who come after its end", async () => {
    const closed = new Broadcast<number>();
    closed.close();
    closed.fail(new Error("late"));
    expect(await readAll(closed.subscribe())).toEqual([]);
    const failed = new Broadcast<number>();
    failed.fail(new RangeError("gone"));
    await expect(readAll(failed.subscribe())).rejects.toThrow("gone");
    expect(failed.subscribers).toBe(0);
  });

  test("that fails gives each subscriber its buffer, then the error", async () => {
    const broadcast = new Broadcast<number>();
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    broadcast.fail(new RangeError("gone"));
    expect(await subscription.next()).toEqual({ done: false, value: 1 });
    await expect(subscription.next()).rejects.toThrow("gone");
    expect(await subscription.next()).toEqual(END);
  });
});

describe("leaving", () => {
  test("is breaking out of the loop", async () => {
    const broadcast = new Broadcast<number>();
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    broadcast.publish(2);
    for await (const number of subscription) if (number === 1) break;
    expect(broadcast.subscribers).toBe(0);
    expect(await subscription.next()).toEqual(END);
  });

  test("ends a read that waits", async () => {
    const subscription = new Broadcast<number>().subscribe();
    const reader = subscription.next();
    expect(await subscription.return?.()).toEqual(END);
    expect(await reader).toEqual(END);
  });

  test("is aborting the signal, whose reason the reader gets", async () => {
    const broadcast = new Broadcast<number>();
    const controller = new AbortController();
    const waiting = broadcast.subscribe({ signal: controller.signal });
    const behind = broadcast.subscribe({ signal: controller.signal });
    const reader = waiting.next();
    broadcast.publish(1);
    await reader;
    const later = waiting.next();
    controller.abort(new RangeError("enough"));
    await expect(later).rejects.toThrow("enough");
    await expect(behind.next()).rejects.toThrow("enough");
    expect(broadcast.subscribers).toBe(0);
  });

  test("can be done before joining", async () => {
    const broadcast = new Broadcast<number>();
    const signal = AbortSignal.abort(new RangeError("enough"));
    await expect(readAll(broadcast.subscribe({ signal }))).rejects.toThrow("enough");
    expect(broadcast.subscribers).toBe(0);
  });

  test("leaves no listener on the signal, however it was done", async () => {
    const broadcast = new Broadcast<number>({ limit: 1 });
    const { signal } = new AbortController();
    await broadcast.subscribe({ signal }).return?.();
    broadcast.subscribe({ signal });
    broadcast.publish(1);
    broadcast.publish(2);
    broadcast.subscribe({ signal });
    broadcast.close();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a slow subscriber", () => {
  test("gets its buffer, then an error, and is dropped; the others go on", async () => {
    const broadcast = new Broadcast<number>({ limit: 2 });
    const slow = broadcast.subscribe();
    const quick = broadcast.subscribe();
    for (const number of [1, 2, 3, 4]) {
      broadcast.publish(number);
      expect(await quick.next()).toEqual({ done: false, value: number });
    }
    expect(broadcast.subscribers).toBe(1);
    expect([await slow.next(), await slow.next()]).toMatchObject([{ value: 1 }, { value: 2 }]);
    await expect(slow.next()).rejects.toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      reason: "QUEUE_FULL",
    });
    expect(await slow.next()).toEqual(END);
  });

  test("is measured by size where one is given", () => {
    const broadcast = new Broadcast<string>({ limit: 10, sizeOf: (text) => text.length });
    broadcast.subscribe();
    broadcast.publish("12345");
    broadcast.publish("67890");
    expect(broadcast.subscribers).toBe(1);
    broadcast.publish("1");
    expect(broadcast.subscribers).toBe(0);
  });

  test("cannot have a buffer of nothing", () => {
    expect(() => new Broadcast({ limit: 0 }).subscribe()).toThrow(/must be 1 or more/);
  });
});
