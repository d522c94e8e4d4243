import type { Artifact } from "turnkeep";
import { essayOf } from "./sample-essay.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAHUlEQVR42mNkYPj/n4EIwEiMIgbGUYWjCkcVDpRCAEfoCAFsGq0LAAAAAElFTkSuQmCC";

/** One artifact of each kind that the Studio shows in a way of its own. */
export const ARTIFACTS: readonly Artifact[] = [
  {
    name: "plan.md",
    parts: [
      {
        text: '# Three days in Lisbon\n\n1. **Alfama** on foot\n2. The river\n3. Belém\n\n<script>document.title = "taken over"</script>\n\n![outside](https://outside.example/pixel.png)\n',
      },
    ],
  },
  { name: "greetings.txt", parts: [{ text: "こんにちは 🌙 مرحبا\nOlá!" }] },
  {
    name: "booking.ts",
    parts: [{ text: 'export const hotel: string = "Casa do Rio";\nexport const nights = 4;\n' }],
  },
  { name: "costs.json", parts: [{ data: { hotel: 512, food: [40, 35, 52], currency: "EUR" } }] },
  {
    name: "map.png",
    parts: [{ media: { url: `data:image/png;base64,${PNG}`, contentType: "image/png" } }],
  },
  {
    name: "letter.html",
    parts: [
      {
        media: {
          url: `data:text/html;base64,${btoa('<h1>Dear guest</h1><script>parent.document.title = "taken over"</script>')}`,
          contentType: "text/html",
        },
      },
    ],
  },
];

/** Above 5 MB: of many lines, of one, and of many values. */
export const LARGE_TEXT: string = Array.from(
  { length: 180_000 },
  (_, index) => `Line ${index + 1} of the large text.\n`,
).join("");

export const LARGE_ARTIFACTS: readonly Artifact[] = [
  { name: "large.txt", parts: [{ text: LARGE_TEXT }] },
  { name: "one-line.txt", parts: [{ text: LARGE_TEXT.replaceAll("\n", " ") }] },
  {
    name: "large.json",
    parts: [{ data: Array.from({ length: 350_000 }, (_, index) => `number ${index + 1}`) }],
  },
  // As long as Markdown may be to be laid out unasked.
  { name: "essay.md", parts: [{ text: essayOf(65_536) }] },
];
