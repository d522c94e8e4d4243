import { decodeSse, type SseMessage } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";

const encoder = new TextEncoder();

async function collect(messages: AsyncIterable<SseMessage>): Promise<string[]> {
  const collected: string[] = [];
  for await (const { data } of messages) collected.push(data);
  return collected;
}

/** An endless stream that remembers how it was cancelled. */
function endless(): { readonly body: ReadableStream<Uint8Array>; readonly cancelled: unknown[] } {
  const cancelled: unknown[] = [];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(encoder.encode("data: tick\n\n")),
    cancel: (reason) => {
      cancelled.push(reason);
    },
  });
  return { body, cancelled };
}

async function* twoPieces(): AsyncGenerator<Uint8Array> {
  yield encoder.encode("data: a\n");
  yield encoder.encode("\ndata: b\n\n");
}

async function* hanging(): AsyncGenerator<Uint8Array> {
  yield encoder.encode("data: a\n\n");
  await new Promise(() => undefined);
}

describe("decodeSse", () => {
  it("reads the body of a response", async () => {
    const { body } = new Response("data: a\n\ndata: é\n\ndata: lost");
    expect(await collect(decodeSse(body!))).toStrictEqual(["a", "é"]);
  });

  it("reads any source of pieces", async () => {
    expect(await collect(decodeSse(twoPieces()))).toStrictEqual(["a", "b"]);
  });

  it("cancels the body when the loop is left", async () => {
    const { body, cancelled } = endless();
    for await (const { data } of decodeSse(body)) {
      expect(data).toBe("tick");
      break;
    }
    expect(cancelled).toHaveLength(1);
    expect(body.locked).toBe(false);
  });

  it("stops a source of pieces when the loop is left", async () => {
    let stopped = false;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield encoder.encode("data: a\n\ndata: b\n\n");
      } finally {
        stopped = true;
      }
    }
    for await (const message of decodeSse(pieces())) {
      expect(message.data).toBe("a");
      break;
    }
    expect(stopped).toBe(true);
  });

  it("cancels the body when the reader of the messages throws", async () => {
    const { body, cancelled } = endless();
    const reading = (async () => {
      for await (const message of decodeSse(body)) throw new Error(message.data);
    })();
    await expect(reading).rejects.toThrow("tick");
    expect(cancelled).toHaveLength(1);
  });

  it("cancels the body when an event is too long", async () => {
    const { body, cancelled } = endless();
    const reading = collect(decodeSse(body, { limits: { sseEventLength: 5 } }));
    await expect(reading).rejects.toMatchObject({ status: "RESOURCE_EXHAUSTED" });
    expect(cancelled).toHaveLength(1);
  });

  it("rejects with the body's own error", async () => {
    const reason = new Error("connection reset");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(reason),
    });
    await expect(collect(decodeSse(body))).rejects.toBe(reason);
  });

  it("rejects with the error of a source of pieces", async () => {
    const reason = new Error("connection reset");
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield encoder.encode("data: a\n\n");
      throw reason;
    }
    await expect(collect(decodeSse(pieces()))).rejects.toBe(reason);
  });

  it("rejects with the signal's reason while waiting for a body", async () => {
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const body = new ReadableStream<Uint8Array>();
    const reading = collect(decodeSse(body, { signal: controller.signal }));
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  it("rejects with the signal's reason while a source of pieces hangs", async () => {
    const controller = new AbortController();
    const reading = collect(decodeSse(hanging(), { signal: controller.signal }));
    // By then the first piece is read, and the second is being waited for.
    setTimeout(() => controller.abort(new Error("enough")), 20);
    await expect(reading).rejects.toThrow("enough");
  });

  it("does not start with a signal that is aborted, and cancels the body", async () => {
    const { body, cancelled } = endless();
    const signal = AbortSignal.abort(new Error("too late"));
    await expect(collect(decodeSse(body, { signal }))).rejects.toThrow("too late");
    expect(cancelled).toHaveLength(1);
  });

  it("leaves no listener on the signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const { body } = new Response("data: a\n\ndata: b\n\n");
    await collect(decodeSse(body!, { signal }));
    expect(listeners).toBe(0);
  });
});
