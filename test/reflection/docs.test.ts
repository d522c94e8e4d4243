import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/reflection/routes.ts";
import { EXAMPLES, openStage, settled } from "./docs-examples.ts";

const FILE = resolve("docs/reflection.md");
const BLOCK = /<!-- example: ([\w-]+) -->\n\n```(\w*)\n(.*?)```/gs;
// Longer lists are cut, so that the page can be read.
const MOST_LINES = 80;
const LONGEST_LINE = 110;

test("every example of the documentation is what the server answers", async () => {
  const { reflected, names } = await openStage();
  const answers = new Map<string, string>();
  for (const [name, asked] of Object.entries(EXAMPLES)) {
    const { text, body, headers } = await reflected.ask(...asked(names));
    const isStream = headers.get("content-type") === "text/event-stream";
    answers.set(
      name,
      readable(isStream ? settled(text) : compact(JSON.parse(settled(JSON.stringify(body))))),
    );
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
  expect(new Set(shown)).toEqual(new Set(answers.keys()));
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

// Whatever fits on a line stands on one.
function compact(value: unknown, indent = ""): string {
  const line = JSON.stringify(value);
  const isLeaf = typeof value !== "object" || value === null || line.length <= 2;
  if (isLeaf || indent.length + line.length <= LONGEST_LINE) return spaced(value);
  const inner = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((item) => `${inner}${compact(item, inner)}`)
    : Object.entries(value).map(
        ([name, member]) => `${inner}${JSON.stringify(name)}: ${compact(member, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
