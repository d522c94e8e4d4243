import { nextMillisecond } from "../reflection/reflecting.ts";
import type { Demo } from "./demo.ts";

const AT_ONCE = 200;

/** As many sessions of one agent, all waiting for a person: the first made is `eldest`, the others are `trip-0`, `trip-1`… */
export async function seedMany({ research }: Demo, count: number): Promise<void> {
  await research.runText("book", { sessionId: "eldest" });
  await nextMillisecond();
  await research.runText("book", { sessionId: "pattern" });
  const lines: string[] = [];
  for await (const line of research.exportSession("pattern")) lines.push(line.trim());
  await research.deleteSession("pattern");
  const ids = Array.from({ length: count - 1 }, (_, index) => `trip-${index}`).values();
  const fill = async (): Promise<void> => {
    for (const id of ids) await research.importSession(id, lines);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fill));
}
