import { createInterface } from "node:readline/promises";
import { visibleText } from "../visible-text.ts";
import { misuse } from "../read-arguments.ts";
import type { SessionDesk } from "./session-desk.ts";

/**
 * Whether a person agrees to what cannot be undone.
 *
 * @throws TurnkeepError INVALID_ARGUMENT where nobody can be asked and --yes was not said.
 */
export async function isAgreed(
  { values, terminal }: Pick<SessionDesk, "values" | "terminal">,
  question: string,
): Promise<boolean> {
  if (values.yes) return true;
  if (!terminal.isInteractive) throw misuse("Nobody can be asked here. Say --yes if it is meant.");
  const { input, output } = terminal;
  const lines = createInterface({ input, output });
  const answer = await lines.question(`${visibleText(question)} [y/N] `);
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
