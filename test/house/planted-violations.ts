export interface Violation {
  /** Relative to `src`. */
  readonly file: string;
  readonly code: string;
  readonly rule: string;
}

export const WALL = "no-restricted-imports";

/** One of everything the linter must not let pass, by name. */
export const VIOLATIONS: Readonly<Record<string, Violation>> = {
  "a room importing one it may not know": {
    file: "protocol/planted-up.ts",
    code: `export { head } from "../ledger/index.ts";`,
    rule: WALL,
  },
  "a type let through a closed wall": {
    file: "ledger/planted-type.ts",
    code: `import type { Store } from "../stores/memory/index.ts";\nexport type Kept = Store;`,
    rule: WALL,
  },
  "a wall passed by re-exporting everything": {
    file: "client/planted-star.ts",
    code: `export * from "../agent/index.ts";`,
    rule: WALL,
  },
  "a wall passed from a folder deep inside a room": {
    file: "ledger/deep/er/planted-deep.ts",
    code: `import "../../../http/index.ts";`,
    rule: WALL,
  },
  "a room entered beside its index": {
    file: "ledger/planted-window.ts",
    code: `export { json } from "../protocol/json.ts";`,
    rule: WALL,
  },
  "a store entered beside its index": {
    file: "cli/planted-window.ts",
    code: `export { store } from "../stores/memory/inside.ts";`,
    rule: WALL,
  },
  "a store importing another store": {
    file: "stores/sqlite/planted-sibling.ts",
    code: `export { store } from "../memory/index.ts";`,
    rule: WALL,
  },
  "a store importing another store from a folder of its own": {
    file: "stores/memory/deep/planted-sibling.ts",
    code: `export { store } from "../../sqlite/index.ts";`,
    rule: WALL,
  },
  "a store known to what the stores share": {
    file: "stores/planted-shared.ts",
    code: `export { store } from "./memory/index.ts";`,
    rule: WALL,
  },
  "a room entered by the package's own name": {
    file: "testing/planted-name.ts",
    code: `export { thing } from "turnkeep/protocol";`,
    rule: WALL,
  },
  "an import cycle": {
    file: "ledger/planted-cycle-one.ts",
    code: `import { two } from "./planted-cycle-two.ts";\nexport const one = (): unknown => two;`,
    rule: "no-cycle",
  },
  "an import cycle, seen from its other end": {
    file: "ledger/planted-cycle-two.ts",
    code: `import { one } from "./planted-cycle-one.ts";\nexport const two = (): unknown => one;`,
    rule: "no-cycle",
  },
  "the time taken from the air": {
    file: "ledger/planted-now.ts",
    code: `export const now = (): number => Date.now();`,
    rule: "no-restricted-properties",
  },
  "a stopwatch taken from the air": {
    file: "testing/planted-stopwatch.ts",
    code: `export const now = (): number => performance.now();`,
    rule: "no-restricted-properties",
  },
  "chance taken from the air": {
    file: "stores/memory/planted-random.ts",
    code: `export const chance = (): number => Math.random();`,
    rule: "no-restricted-properties",
  },
  "an id taken from the air": {
    file: "protocol/planted-id.ts",
    code: `export const id = (): string => crypto.randomUUID();`,
    rule: "no-restricted-properties",
  },
  "a timer taken from the air": {
    file: "ledger/planted-timer.ts",
    code: `export const later = (work: () => void): unknown => setTimeout(work, 1);`,
    rule: "no-restricted-globals",
  },
  "a default export": {
    file: "protocol/planted-default.ts",
    code: `export default function planted(): void {}`,
    rule: "no-default-export",
  },
  "an `any`": {
    file: "protocol/planted-any.ts",
    code: `export const anything = (value: any): unknown => value;`,
    rule: "no-explicit-any",
  },
  "a line to the console": {
    file: "ledger/planted-console.ts",
    code: `export const shout = (): void => console.log("!");`,
    rule: "no-console",
  },
  "a promise nobody waits for": {
    file: "ledger/planted-promise.ts",
    code: `const work = async (): Promise<void> => {};\nexport const start = (): void => {\n  work();\n};`,
    rule: "no-floating-promises",
  },
};
