import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";

// Which rooms a room may import, besides itself. The same table stands in ARCHITECTURE.md.
export const ROOMS = {
  protocol: [],
  ledger: ["protocol"],
  agent: ["ledger", "protocol"],
  stores: ["ledger"],
  genkit: ["agent", "protocol"],
  http: ["agent", "ledger", "protocol"],
  node: ["http"],
  client: ["protocol"],
  reflection: ["agent", "ledger", "http", "protocol"],
  studio: ["http", "protocol", "reflection"],
  workers: ["agent", "ledger", "protocol"],
  testing: ["agent", "ledger", "protocol"],
  demo: ["agent", "ledger", "protocol"],
  cli: [
    "agent",
    "client",
    "demo",
    "genkit",
    "http",
    "ledger",
    "node",
    "protocol",
    "reflection",
    "stores",
    "studio",
    "testing",
    "workers",
  ],
};

// These run wherever `fetch` runs: no `node:` modules, and no npm packages but the named ones.
export const PORTABLE = {
  protocol: [],
  ledger: [],
  agent: ["@opentelemetry/api", "mutative"],
  http: [],
  reflection: ["@opentelemetry/api"],
  client: ["react"],
  genkit: ["genkit"],
};

const STORES = readdirSync("src/stores", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

// Time, chance and ids come in through ports, so that tests can own them.
const AMBIENT = [
  { object: "Date", property: "now", message: "Take the time from a Clock." },
  { object: "performance", property: "now", message: "Take the time from a Clock." },
  { object: "Math", property: "random", message: "Take chance from a Random." },
  { object: "crypto", property: "randomUUID", message: "Take ids from an IdSource." },
];
const AMBIENT_GLOBALS = ["setTimeout", "setInterval", "setImmediate"].map((name) => ({
  name,
  message: "Take timers from a Timers port.",
}));

function roomWall(room) {
  return restrict(`src/${room}/**`, wall(room));
}

// What the stores share stands beside them, and knows none of them.
function sharedStoreWall() {
  return restrict("src/stores/*", [...wall("stores"), strangers(STORES)]);
}

function storeWall(store) {
  const others = STORES.filter((other) => other !== store);
  return restrict(`src/stores/${store}/**`, [...wall("stores"), strangers(others)]);
}

function strangers(stores) {
  return {
    group: stores.map((store) => `**/${store}/**`),
    message: "Stores do not know each other.",
  };
}

function restrict(files, patterns) {
  return { files: [files], rules: { "typescript/no-restricted-imports": ["error", { patterns }] } };
}

function wall(room) {
  const doors = Object.keys(ROOMS)
    .filter((other) => other !== room)
    .map((other) => door(room, other));
  const outside =
    PORTABLE[room] === undefined
      ? { regex: "^turnkeep(/|$)", message: "Inside the house, rooms are entered by path." }
      : {
          regex: anyPackageBut(PORTABLE[room]),
          message: `${room} imports no node: modules and only its listed packages.`,
        };
  return [...doors, outside];
}

// Rooms that hold one thing of each kind, each with a door of its own.
export const WINGS = ["stores", "workers"];

// A negated glob exempts an import from every group of the wall, so it names one file and no more.
function door(room, other) {
  const inside = `**/${other}/**`;
  if (ROOMS[room].includes(other)) {
    const index = WINGS.includes(other) ? `!**/${other}/*/index.ts` : `!**/${other}/index.ts`;
    return { group: [inside, index], message: `Enter ${other} by its index.` };
  }
  return { group: [inside], message: `${room} may not import ${other}.` };
}

// Oxlint's regexes know no look-ahead (they would silently never match), so "any package but these"
// is spelled out letter by letter. A name that starts with a dot is a path, not a package.
function anyPackageBut(names) {
  return `^(?:[^.${letters(names)}]${branches(names)})`;
}

function otherEnding(endings) {
  if (endings.includes("")) return "[^/]";
  return `(?:$|[^${letters(endings)}]${branches(endings)})`;
}

function letters(words) {
  return words.map((word) => escaped(word[0])).join("");
}

function branches(words) {
  return [...new Set(words.map((word) => word[0]))]
    .map((letter) => {
      const endings = words.filter((word) => word[0] === letter).map((word) => word.slice(1));
      return `|${escaped(letter)}${otherEnding(endings)}`;
    })
    .join("");
}

function escaped(letter) {
  return letter.replace(/[^a-z0-9]/i, "\\$&");
}

export default defineConfig({
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    complexity: ["error", { max: 12 }],
    "max-depth": ["error", 3],
    "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
    "max-params": ["error", { max: 3 }],
    "no-console": "error",
    "no-eval": "error",
    "no-new-func": "error",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/switch-exhaustiveness-check": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
  },
  overrides: [
    {
      files: ["src/**"],
      rules: {
        "no-restricted-properties": ["error", ...AMBIENT],
        "no-restricted-globals": ["error", ...AMBIENT_GLOBALS],
      },
    },
    ...Object.keys(ROOMS).map(roomWall),
    sharedStoreWall(),
    ...STORES.map(storeWall),
    {
      // What Genkit and zod call the insides that they show.
      files: ["src/genkit/**"],
      rules: {
        "no-underscore-dangle": ["error", { allow: ["__action", "__executablePrompt", "_def"] }],
      },
    },
    {
      // Markup has more lines than work of the same size.
      files: ["studio/**"],
      rules: {
        "max-lines-per-function": ["error", { max: 100, skipBlankLines: true, skipComments: true }],
        "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
        // Views branch by what is there; each branch is markup.
        complexity: ["error", { max: 20 }],
        // What is posted to is a channel, not a window.
        "unicorn/require-post-message-target-origin": "off",
      },
    },
    {
      files: ["test/**", "bench/**", "examples/**"],
      rules: {
        "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
        "max-lines-per-function": "off",
        // Says that there is something built, and no more.
        "import/no-unassigned-import": ["error", { allow: ["**/built.ts"] }],
        "unicorn/consistent-function-scoping": "off",
        "vitest/expect-expect": "off",
        // The second one names the case in a loop.
        "vitest/valid-expect": ["error", { maxArgs: 2 }],
        // A contract's cases bring their names along.
        "vitest/valid-title": ["error", { ignoreTypeOfTestName: true }],
        "vitest/no-conditional-expect": "off",
        "no-console": "off",
        "no-await-in-loop": "off",
        "no-shadow": "off",
        "no-underscore-dangle": "off",
        "max-params": "off",
        // Loops as documents show them may return without yielding.
        "require-yield": "off",
        "typescript/consistent-return": "off",
        "typescript/no-unnecessary-type-arguments": "off",
        // fast-check is written `fc.property(…)` everywhere.
        "import/no-named-as-default-member": "off",
      },
    },
    {
      files: ["*.config.*", "test/support/count-reporter.ts"],
      rules: { "import/no-default-export": "off" },
    },
  ],
});
