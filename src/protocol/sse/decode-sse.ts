import { limitsFrom } from "../limits.ts";
import { orAborted } from "./or-aborted.ts";
import { SseDecoder, type SseMessage, type SseOptions } from "./sse-decoder.ts";

/** Where the bytes of a stream come from: the body of a response, or any source of pieces. */
export type SseBody = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** How a stream is read, and until when. */
export type DecodeSseOptions = SseOptions & {
  readonly signal?: AbortSignal;
};

/**
 * The messages of an SSE stream. Leaving the loop cancels the body. The end of the body ends the loop, whether or not the
 * sender was done: what ends a stream well is for the protocol on top to say.
 *
 * @throws TurnkeepError RESOURCE_EXHAUSTED when an event grows too long; the signal's reason; whatever the body fails with.
 */
export async function* decodeSse(
  body: SseBody,
  options: DecodeSseOptions = {},
): AsyncGenerator<SseMessage, void, undefined> {
  const { signal, limits } = options;
  const decoder = new SseDecoder({ limits: limitsFrom(limits) });
  const source = sourceOf(body);
  try {
    for (;;) {
      const piece = await orAborted(() => source.next(), signal);
      if (piece.done === true) return;
      yield* decoder.push(piece.value);
    }
  } finally {
    const stopped = source.stop();
    // A source that is still busy with a read would settle this only afterwards.
    if (signal?.aborted !== true) await stopped;
  }
}

type Source = {
  readonly next: () => Promise<IteratorResult<Uint8Array, unknown>>;
  readonly stop: () => Promise<void>;
};

function sourceOf(body: SseBody): Source {
  // Not every runtime lets a ReadableStream be iterated, so it is read by hand.
  return "getReader" in body ? sourceOfStream(body) : sourceOfIterable(body);
}

function sourceOfStream(body: ReadableStream<Uint8Array>): Source {
  const reader = body.getReader();
  return {
    next: () => reader.read(),
    stop: async () => {
      await settled(reader.cancel());
      reader.releaseLock();
    },
  };
}

function sourceOfIterable(body: AsyncIterable<Uint8Array>): Source {
  const iterator = body[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    stop: () => settled(iterator.return?.()),
  };
}

/** Waits for the end of a clean-up. Its failure would hide why reading stopped, and is of no use to the reader. */
async function settled(cleanUp: Promise<unknown> | undefined): Promise<void> {
  await Promise.allSettled([cleanUp]);
}
