import { type Interrupt, interruptsOf } from "../../client/index.ts";
import { type Json, type Message, parseJson, type Resume } from "../../protocol/index.ts";
import type { Paint } from "../paint.ts";
import { visibleText } from "../visible-text.ts";
import { brief } from "./turn-printer.ts";

export interface Person {
  readonly out: (line: string) => void;
  readonly ask: (prompt: string) => Promise<string | undefined>;
  readonly paint: Paint;
}

/** Asks about every tool that waits, one after the other; `undefined` when nobody answers. */
export async function askPerson(
  message: Message | undefined,
  { out, ask, paint }: Person,
): Promise<Resume | undefined> {
  let resume: Resume | undefined;
  for (const interrupt of interruptsOf(message, (all) => (resume = all))) {
    out(paint.yellow(`  ? ${visibleText(questionOf(interrupt))}`));
    // A person reads one question at a time.
    // oxlint-disable-next-line no-await-in-loop
    const answer = await ask("  yes, no, or an answer in its place> ");
    if (answer === undefined) return undefined;
    settle(interrupt, answer.trim());
  }
  return resume;
}

function settle(interrupt: Interrupt, answer: string): void {
  if (/^y(?:es)?$/i.test(answer)) interrupt.approve();
  else if (/^(?:no?)?$/i.test(answer)) interrupt.deny("The user said no.");
  else interrupt.answer(jsonOr(answer));
}

function jsonOr(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function questionOf({ tool, input = null, interrupt }: Interrupt): string {
  const said = typeof interrupt === "object" && interrupt !== null ? interrupt : {};
  const question = Object.values(said).find((value) => typeof value === "string");
  return question ?? `${tool} ${brief(input)} waits for you.`;
}
