import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/reflection/routes.ts";
import { EXAMPLES, openStage, settled } from "./docs-examples.ts";

const FILE = resolve("docs/reflection.md");
const BLOCK = /<!-- example: ([\w-]+) -->\n\n```(\w*)\n(.*?)```/gs;
// Longer lists are cut, so that the page can be read.
const MOST_LINES = 60;

test("every example of the documentation is what the server answers", async () => {
  const { reflected, names } = await openStage();
  const answers = new Map<string, string>();
  for (const [name, asked] of Object.entries(EXAMPLES)) {
    const { text, body, headers } = await reflected.ask(...asked(names));
    const isStream = headers.get("content-type") === "text/event-stream";
    answers.set(name, readable(settled(isStream ? text : JSON.stringify(body, null, 2))));
  }
  const written = readFileSync(FILE, "utf8");
  const expected = written.replaceAll(
    BLOCK,
    (_, name: string, language: string) =>
      `<!-- example: ${name} -->\n\n\`\`\`${language}\n${answers.get(name) ?? "no such example"}\n\`\`\``,
  );
  if (process.env["UPDATE_DOCS"]) writeFileSync(FILE, expected);
  else expect(written).toBe(expected);
  const shown = [...written.matchAll(BLOCK)].map(([, name]) => name);
  expect(shown.toSorted()).toEqual([...answers.keys()].toSorted());
});

test("every route is documented", () => {
  const text = readFileSync(FILE, "utf8");
  const documented = [...text.matchAll(/`(GET|POST|PATCH|DELETE) \/([^`?]*)/g)].map(
    ([, method, path = ""]) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
  );
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(routes.filter((route) => !documented.includes(route))).toEqual([]);
  expect(documented.filter((route) => !routes.includes(route))).toEqual([]);
});

function readable(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), "…"].join("\n")
    : lines.join("\n");
}
