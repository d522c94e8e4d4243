import type { SeededRandom } from "../test/chaos/seeded-random.ts";

/** Words that nobody said before, about `length` characters of them: no store can make them much smaller. */
export function randomText(random: SeededRandom, length: number): string {
  let text = "";
  while (text.length < length) {
    const word = random
      .next()
      .toString(36)
      .slice(2, 2 + 2 + random.below(9));
    text += text === "" ? word : ` ${word}`;
  }
  return text.slice(0, length);
}
