import type { TextStream } from "./text-stream.ts";

/** Says the pieces one after the other, none before the reader took the last. */
export async function sayAll(stream: TextStream, pieces: AsyncIterable<string>): Promise<void> {
  for await (const piece of pieces) {
    if (!stream.say(piece)) await stream.clear();
    if (stream.isOver) return;
  }
}
