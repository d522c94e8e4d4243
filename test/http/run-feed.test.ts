import { type LocalAgent, type RunUpdate } from "turnkeep";
import { describe, expect, it } from "vitest";
import { RunFeed } from "../../src/http/run-feed.ts";
import { TextStream } from "../../src/http/text-stream.ts";
import { agentOf } from "../agent/authoring/turns.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { gateOf } from "../agent/life/waiting.ts";
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

  constructor(agent: LocalAgent<never>, runId: string) {
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
    const feed = new RunFeed({ agent, runId, exchange: { reader: {}, gone: gone.signal } });
    this.over = feed.sayTo(this.#stream, (update) => this.#encode(update));
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
