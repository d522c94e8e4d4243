import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Findings, HouseCopy, ROOT } from "./house-copy.ts";
import { VIOLATIONS, WALL } from "./planted-violations.ts";

interface WallTable {
  readonly ROOMS: Readonly<Record<string, readonly string[]>>;
  readonly PORTABLE: Readonly<Record<string, readonly string[]>>;
  readonly WINGS: readonly string[];
}

const FOREIGN_PACKAGES = ["node:fs", "zod", "zod/v4", "@scope/name", "turnkeep/protocol"];

const { ROOMS, PORTABLE, WINGS } = (await import(
  new URL("../../oxlint.config.mjs", import.meta.url).href
)) as WallTable;
const rooms = Object.keys(ROOMS);
const listedPackages = [...new Set(Object.values(PORTABLE).flat())];

describe("the walls between rooms", () => {
  const house = new HouseCopy();
  let findings: Findings;

  beforeAll(() => {
    house.furnish(rooms);
    for (const { file, code } of Object.values(VIOLATIONS)) house.plant(file, code);
    for (const room of rooms) plantImports(house, room);
    findings = house.lint();
  });
  afterAll(() => house.remove());

  test.each(Object.entries(VIOLATIONS))("stop %s", (_, { file, rule }) => {
    expect(findings.rulesBrokenIn(file)).toContain(rule);
  });

  test.each(rooms)("let %s into exactly the rooms of its line in the table", (room) => {
    const others = rooms.filter((other) => other !== room);
    const enters = (kind: string): string[] =>
      others.filter((other) => !findings.rulesBrokenIn(planted(room, kind, other)).includes(WALL));
    const allowed = ROOMS[room]?.toSorted();
    expect(enters("value").toSorted()).toEqual(allowed);
    expect(enters("type").toSorted()).toEqual(allowed);
    expect(enters("inside")).toEqual([]);
  });

  test.each(Object.keys(PORTABLE))("let %s import only its listed packages", (room) => {
    const imports = [...FOREIGN_PACKAGES, ...listedPackages, ...listedPackages.map(nearlyNamed)];
    const passed = imports.filter(
      (name) => !findings.rulesBrokenIn(planted(room, "package", name)).includes(WALL),
    );
    expect(passed.toSorted()).toEqual(PORTABLE[room]?.toSorted());
  });

  test.each(rooms)("leave %s free inside itself", (room) => {
    expect(findings.rulesBrokenIn(planted(room, "own", "room"))).toEqual([]);
  });
});

describe("the house as it stands", () => {
  test("breaks no rule", () => {
    const house = new HouseCopy();
    const findings = house.lint();
    house.remove();
    expect(findings.all).toEqual([]);
  });

  test("has no folder that is not a room of the table", () => {
    expect(rooms).toEqual(expect.arrayContaining(readdirSync(join(ROOT, "src"))));
  });

  // The linter does not look at `import()`, so a wall would not hold against it.
  test("enters no file by a dynamic import", () => {
    const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
    const offenders = sources
      .filter((file) => file.endsWith(".ts"))
      .filter((file) => /\bimport\(\s*["'`]\./.test(readFileSync(join(ROOT, "src", file), "utf8")));
    expect(offenders).toEqual([]);
  });
});

function plantImports(house: HouseCopy, room: string): void {
  const up = WINGS.includes(room) ? "../.." : "..";
  for (const other of rooms.filter((each) => each !== room)) {
    const folder = folderOf(other);
    const door = `${up}/${folder}/index.ts`;
    house.plant(planted(room, "value", other), `export { thing } from "${door}";`);
    house.plant(planted(room, "type", other), `export type { Thing } from "${door}";`);
    const window = `${up}/${folder}/inside.ts`;
    house.plant(planted(room, "inside", other), `export { thing } from "${window}";`);
  }
  const packages = [...FOREIGN_PACKAGES, ...listedPackages, ...listedPackages.map(nearlyNamed)];
  for (const name of packages) {
    house.plant(planted(room, "package", name), `export { thing } from "${name}";`);
  }
  house.plant(planted(room, "neighbour", "room"), `export const thing = 1;`);
  const neighbour = `./${planted(room, "neighbour", "room").split("/").at(-1)}`;
  house.plant(planted(room, "own", "room"), `export { thing } from "${neighbour}";`);
}

function planted(room: string, kind: string, name: string): string {
  return `${folderOf(room)}/planted-${kind}-${name.replaceAll(/\W+/g, "-")}.ts`;
}

/** Where the files of a room are: where it has wings, those of one of them. */
function folderOf(room: string): string {
  const wing = { stores: "stores/memory", workers: "workers/bullmq" }[room];
  return wing ?? room;
}

function nearlyNamed(name: string): string {
  return `${name}-dom`;
}
