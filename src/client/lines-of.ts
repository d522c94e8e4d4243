import { ANSWER_LIMITS } from "../protocol/index.ts";
import { tooLong } from "./answer.ts";
import type { Line } from "./line.ts";

/** The lines of an answer as they come. */
export async function* linesOf(line: Line): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  let rest = "";
  for await (const piece of line.pieces()) {
    const lines = (rest + utf8.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > ANSWER_LIMITS.textBytes) throw tooLong();
    yield* lines;
  }
  if (rest !== "") yield rest;
}
