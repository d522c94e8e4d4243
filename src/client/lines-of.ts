import { ANSWER_LIMITS } from "../protocol/index.ts";
import { tooLong } from "./answer.ts";
import type { Line } from "./line.ts";

/** The lines of an answer as they come. */
export async function* linesOf(line: Line): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  let rest = "";
  for await (const piece of line.pieces()) {
    const [end = "", ...lines] = utf8.decode(piece, { stream: true }).split("\n");
    rest += end;
    if (rest.length > ANSWER_LIMITS.textBytes) throw tooLong();
    for (const next of lines) {
      yield rest;
      rest = next;
    }
  }
  if (rest !== "") yield rest;
}
