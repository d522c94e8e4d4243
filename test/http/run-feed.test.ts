import { type LocalAgent, type RunUpdate } from "turnkeep";
import { describe, expect, it } from "vitest";
import { RunFeed } from "../../src/http/run-feed.ts";
import { TextStream } from "../../src/http/text-stream.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { WatchedStore } from "../ledger/said-run.ts";
import { HandTimers } from "../support/hand-timers.ts";

const MOST_HELD = 128 * 1024;
const BIG = "x".repeat(5000);

/** One who is sent a run's events, and takes them or does not. */
class Reader {
  takes = true;
  text = "";
  most = 0;
  readonly #stream: TextStream;
  readonly over: Promise<void>;

  readonly feed: RunFeed;

  constructor(agent: LocalAgent<never>, runId: string, after = 0) {
    const gone = new AbortController();
    this.#stream = new TextStream({
      kind: {},
      limits: { pingMs: 1e6, stallMs: 1e6 },
      timers: new HandTimers(),
      onEnd: () => gone.abort(null),
    });
    this.#stream.open({
      write: (text) => {
        this.text += text;
        return this.takes;
      },
      end: () => {},
      break: () => {},
    });
    const exchange = { reader: {}, gone: gone.signal };
    this.feed = new RunFeed({ agent, runId, exchange, after });
    this.over = this.feed.sayTo(this.#stream, (update) => this.#encode(update));
  }

  get seqs(): readonly number[] {
    return [...this.text.matchAll(/(\d+):/g)].map(([, seq]) => Number(seq));
  }

  drain(): void {
    this.takes = true;
    this.#stream.drained();
  }

  leave(): void {
    this.#stream.cancel();
  }

  #encode({ seq, chunk }: RunUpdate): string {
    this.most = Math.max(this.most, this.#stream.heldLength);
    return `${seq}:${chunk?.modelChunk?.content[0]?.text ?? ""}\n`;
  }
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe.each(STORES)("a run's readers, over %s", (_, open) => {
  it("are told together; who falls behind is held little for and finds the rest in the log", async () => {
    const [flood, rest] = [gateOf(), gateOf()];
    const agent = agentOf({ store: await open() }, async ({ respond }) => {
      respond.text("first");
      await flood.promise;
      for (let count = 0; count < 100; count += 1) respond.text(BIG);
      await rest.promise;
      respond.text("last");
    }) as unknown as LocalAgent<never>;
    const { runId } = await agent.detach({ message: { role: "user", content: [{ text: "go" }] } });
    const readers = [1, 2, 3].map(() => new Reader(agent, runId));
    const [quick, slow, leaving] = readers as [Reader, Reader, Reader];
    await expect.poll(() => readers.map(({ seqs }) => seqs)).toEqual([[1], [1], [1]]);
    slow.takes = false;
    leaving.leave();
    flood.open();
    await expect.poll(() => quick.seqs.length).toBe(101);
    const before = slow.seqs.length;
    expect(before).toBeLessThan(100);
    expect(slow.most).toBeLessThanOrEqual(MOST_HELD);
    slow.drain();
    await expect.poll(() => slow.seqs.length).toBe(101);
    rest.open();
    await Promise.all(readers.map(({ over }) => over));
    for (const { seqs } of [quick, slow]) expect(seqs).toEqual(upTo(seqs.length));
    expect([quick.seqs.length, slow.seqs.length]).toEqual([104, 104]);
    expect(leaving.seqs).toEqual([1]);
    await agent.close();
  });
});

describe("a run's readers", () => {
  it("leave nobody watching, whether they come before, during or after", async () => {
    const store = new WatchedStore();
    const [begin, end] = [gateOf(), gateOf()];
    const agent = agentOf({ store }, async ({ respond }) => {
      await begin.promise;
      respond.text("first");
      await end.promise;
    }) as unknown as LocalAgent<never>;
    const { runId } = await agent.detach({ message: { role: "user", content: [{ text: "go" }] } });
    // One of them says that it has seen what was never said.
    const readers = [0, 0, 1000].map((after) => new Reader(agent, runId, after));
    begin.open();
    await expect.poll(() => readers[1]?.seqs).toEqual([1]);
    readers.push(new Reader(agent, runId));
    await expect.poll(() => readers[3]?.seqs).toEqual([1]);
    end.open();
    for (const { over } of readers) await over;
    readers.push(new Reader(agent, runId), new Reader(agent, runId, 2));
    for (const { over, feed } of readers) {
      await over;
      expect(await feed.output()).toMatchObject({ snapshotId: expect.any(String) });
    }
    const all = [1, 2, 3];
    expect(readers.map(({ seqs }) => seqs)).toEqual([all, all, [], all, all, [3]]);
    await expect.poll(() => store.watchers).toBe(0);
    await agent.close();
  });
});
