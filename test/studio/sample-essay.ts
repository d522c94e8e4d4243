const SECTION = `## Part N: along the river

The **old town** lies above the river, and whoever walks there sees *both* banks: the quays, the ferries that cross every
quarter of an hour, and the hills behind them. See [the map](https://maps.example/N) for the way, or ask at \`desk-N\`.

- a morning at the market, before the crowds come
- the tram up to the castle, with a stop at the second bend
- lunch where the fishermen have theirs

| day | where | price |
| --- | --- | --- |
| 1 | Alfama | €24 |
| 2 | Belém | €31 |

\`\`\`ts
export const stop = { number: N, name: "Cais do Sodré", minutes: 15 };
\`\`\`

> Bring a coat: the wind from the sea is cold in the evening, even in May.

`;

/** Markdown of exactly this length, of all that answers are made of. */
export function essayOf(length: number): string {
  const count = Math.ceil(length / SECTION.length);
  const sections = Array.from({ length: count }, (_, index) =>
    SECTION.replaceAll("N", String(index + 1)),
  );
  return sections.join("").slice(0, length);
}
