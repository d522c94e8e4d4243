import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../house-copy.ts";
import { readEntries } from "./read-entries.ts";
import { writePages } from "./write-pages.ts";

const FOLDER = join(ROOT, "docs/reference");

describe("the reference", () => {
  const entries = readEntries();
  const pages = writePages(entries);

  test("finds a doc comment on every name that users can import", () => {
    const silent = entries.flatMap(({ name, items }) =>
      items.filter(({ doc }) => doc === "").map((item) => `${name}: ${item.name} (${item.file})`),
    );
    expect(silent).toEqual([]);
  });

  test.each([...pages])("has %s as it would be written now", (name, text) => {
    const kept = readdirSync(FOLDER).includes(name) ? readFileSync(join(FOLDER, name), "utf8") : "";
    expect(kept === text, "Run `npm run docs:reference`.").toBe(true);
  });

  test("has no other pages", () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual([...pages.keys()].toSorted());
  });

  test("tells of functions, classes and members with their comments, and of nothing private", () => {
    const page = pages.get("turnkeep.md") ?? "";
    expect(page).toContain("\n### defineCustomAgent\n\nDefines an agent whose loop is yours:");
    expect(page).toContain("\nThrows TurnkeepError INVALID_ARGUMENT when the options do not fit");
    expect(page).toContain(
      "\n  /** Nothing more will be sent. What was sent before still is. */\n  close(): void;\n",
    );
    expect(page).toContain("[`AgentOptions`](#agentoptions)");
    expect(page).toContain("- [`Message`](protocol.md#message)\n");
    expect(page).not.toMatch(/@internal|\n +#|\blookOnly\b/);
  });
});
