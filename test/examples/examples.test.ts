import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServers, type Servers } from "./open-servers.ts";
import { type Ended, endOf, EXAMPLES, startExample } from "./run-example.ts";

/** Lines that each example prints, in this order, among others. */
const PRINTED: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "first-agent": ["1: Hello!", "2: Hello again!", "completed stop 4 messages"],
  streaming: [
    "chunk THREE",
    "turn ended: stop",
    "chunk FIVE",
    "output: FOUR FIVE",
    "finished: stop",
  ],
  "typed-state": [
    '[{"op":"replace","path":"/total","value":3}]',
    'now: {"items":["tea","lemons"],"total":9}',
    "kept: tea, lemons",
    'refused: state.custom does not fit its schema at "/items".',
  ],
  "state-versions": [
    'read: {"items":{"tea":1,"lemons":1}}',
    "kept in version none",
    "kept in version 2",
    'now: {"items":{"tea":1,"lemons":2}}',
  ],
  "testing-agents": [
    "scripted: Seven packs of tea are left.",
    "recorded: Two packs are on their way.",
    "replayed: Two packs are on their way.",
    "replayed: left the recording",
    "the copy has 4 snapshots",
    "the original has 1",
  ],
  "crash-test": [
    "as a step: sound, 0 doubled, some left to a person",
    "just so: not sound, 1 doubled, none left to a person",
  ],
  artifacts: [
    'streamed draft.md {"text":"# Tea"}',
    "answered with draft.md, words-3.json",
    'kept draft.md {"text":"# Lemons, second thoughts"}',
    'kept words-3.json {"data":{"length":3}}',
  ],
  branches: [
    "island comes after sea",
    "hills comes after sea",
    "the head is hills",
    "they share 2 messages, then differ:",
    "  + We go to the hills.",
    'forked into holiday-next-year {"place":"the same island"}',
  ],
  workers: [
    "detached: bread, baked by the worker",
    "waited for: cake, baked at the front",
    "closed",
  ],
  background: [
    "tea is pending",
    "tea is completed - All about tea.",
    "everything was pending and is aborted",
    "milk | All about milk. | honey | All about honey.",
  ],
  "rejoin-stream": [
    "first reader 2 word 2",
    "second reader 3 word 3",
    "second reader 8 runEnd",
    "all of it: chunk chunk chunk chunk chunk chunk turnEnd runEnd",
  ],
  "two-at-once": [
    "reject: soup stop, bread ABORTED SESSION_BUSY",
    "queue: soup stop, bread stop",
    "  soup | soup, here you are | bread | bread, here you are",
    "interrupt: soup aborted, bread stop",
    "  bread | bread, here you are",
  ],
  failures: [
    "output: failed UNAVAILABLE no gas",
    "cause: true",
    "thrown: UNAVAILABLE",
    "snapshot: failed Soup, please | chopped",
    "snapshot: completed Soup, please | chopped | boiling | served",
    "unknown snapshot: failed NOT_FOUND",
    "wrong session: INVALID_ARGUMENT",
  ],
  steps: ["Tea: paid (receipt 1 for 450 cents), 7 left", "same turn: true charges: 1"],
  "client-held-state": [
    "10 points - the client holds sessionId, messages, artifacts, custom, token",
    "20 points - 4 messages",
    "sealed: sessionId, token",
  ],
  retention: ["erased 2 sessions of ada's", "bob still has monday"],
  "session-metadata": ['a-1: Kettle, {"userId":"ada","priority":2}'],
  redaction: [
    "A customer sees",
    '  kept: {"balance":100}',
    "A clerk sees",
    '  kept: {"balance":100,"note":"owes us"}',
  ],
  "current-session": [
    "ada: Buy tea, Buy lemons (note-1.txt, note-2.txt)",
    "bo: Call home (note-1.txt)",
    "outside of a run: undefined",
  ],
  "export-import": [
    "imported 3 snapshots",
    "Monday: rain | Written down. | Tuesday, or was it: sun | Written down.",
    "and goes on: Written down.",
    "once more: exists",
  ],
  "take-over": [
    "The child sent the letter and was killed before it could say so.",
    "Its turn is pending",
    "Now it is completed: sent by the child, finished by the parent at attempt 2",
    "Letters: 1",
  ],
  "generator-loop": [
    "poem: Come and sit with me, you see",
    "finished: stop",
    "Come and sit with me | Come and sit with me, you see | Under the tree | Under the tree, with tea",
    "finished: interrupted",
    "One tea, cup number 1. finished: stop",
  ],
  "store-session-store": [
    "Welcome. There are 1 messages before.",
    "Welcome. There are 0 messages before.",
    "in the table: 3 messages",
  ],
  "over-http": [
    "ada hears one",
    "ada hears two",
    "ada hears three",
    "ada's phone hears three",
    "ada has numbers, bob has nothing",
    "a stranger hears: Sign in first.",
  ],
  "genkit-agent": [
    "What have I got? -> empty",
    '  patch [{"op":"replace","path":"","value":{"items":["tea"]}}]',
    "I need lemons -> Added lemons.",
    "What have I got? -> tea, lemons",
    "kept: user model user model tool model user model tool model user model",
    "kept: tea, lemons",
  ],
  "genkit-approval": [
    "stop: baker got 20 euros.",
    "interrupted: ...",
    'asked: {"question":"Pay 900 euros to landlord?"}',
    "stop: landlord got 900 euros, approved by Ada.",
    "stop: Ada said no.",
    "again: INVALID_ARGUMENT",
  ],
  "genkit-background-agents": ["pending: ...", "completed: Everything about tea."],
  "genkit-own-loop": ["status: 1 m", "status: 2 m", "status: 3 m", "stop: Dug a hole of 3 m."],
  "genkit-prompt-file": [
    "rome: I was told: Show people around Rome in a friendly way.",
    "oslo: I was told: Show people around Oslo in a dry way.",
    "ada: I was told: Show people around Ostia in a solemn way.",
    "refused: The prompt input does not fit the prompt's schema: city must be string.",
  ],
  "genkit-sub-agents": [
    "poet: O tea, how I wait for thee",
    "editor: The page is ready, with tea.svg.",
    "artifact: tea.svg <svg>tea</svg>",
    "poet keeps page:poet: 2 messages",
    "painter keeps page:painter: 2 messages",
  ],
  "genkit-serving": [
    "parrot, counter",
    "parrot: HELLO",
    "counter: That was number 1.",
    "shout: HELLO!",
  ],
  "genkit-structured-output": [
    "- pour it over the leaves",
    "7 minutes",
    "failed INVALID_ARGUMENT undefined",
    "stop buy a cake",
  ],
  counter: ["That was number 1.", "That was number 2."],
  "genkit-refund": ["Order 7 is paid back.", "interrupted before; now the customer is relieved"],
  "echo-server": ["You said: Hello", "stop", "2 messages are kept"],
  reflection: ["200: 1 session", "without the token: 401"],
  "mounted-studio": ["http://127.0.0.1:3000/studio/#token=…", "200 text/html; charset=utf-8"],
  "store-files": [
    "Order 2 is noted. Writes survive: power-loss",
    "in the folder: due, sessions, temporary, turnkeep-format.json",
  ],
  "store-postgres": [noted(), noted()],
  "store-redis": [noted(), noted()],
  "store-redis-cluster": [noted()],
};

// It waits for somebody to talk to; chat.test.ts does.
const INTERACTIVE = ["chat"];
// Shown with a store in a file, as readers would have it; their folder holds nothing else.
const KEEPERS = ["counter", "echo-server", "genkit-refund", "store-files"];
// These need a server, which a run may be without; the run says so then.
const NEEDED: Readonly<Record<string, keyof Servers>> = {
  workers: "QUEUE_URL",
  "store-postgres": "DATABASE_URL",
  "store-redis": "REDIS_URL",
  "store-redis-cluster": "CLUSTER_URL",
};
const AT_ONCE = 2;
// All of them together, on a machine that is busy; none waits for anything by itself.
const ALL_MS = 900_000;

const ended = new Map<string, Ended>();
let cwd = "";
let servers: Servers = {};
let closeServers = async (): Promise<void> => {};

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), "turnkeep-examples-"));
  mkdirSync(join(cwd, "kept"));
  ({ servers, close: closeServers } = await openServers());
  const waiting = Object.keys(PRINTED).filter(canRun);
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const place = KEEPERS.includes(name) ? join(cwd, "kept") : cwd;
      ended.set(name, await endOf(startExample(name, place, { PORT: "0", ...servers })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}, ALL_MS);

afterAll(async () => {
  rmSync(cwd, { recursive: true, force: true });
  await closeServers();
});

describe("the examples", () => {
  it("are all here", () => {
    const names = readdirSync(EXAMPLES)
      .filter((file) => file.endsWith(".ts"))
      .map((file) => file.slice(0, -3));
    expect(names.toSorted()).toEqual([...Object.keys(PRINTED), ...INTERACTIVE].toSorted());
  });

  it.each(Object.entries(PRINTED))("%s shows what it says", (name, lines) => {
    if (!canRun(name)) return;
    const { exitCode, text } = ended.get(name)!;
    expect(exitCode, text).toBe(0);
    const printed = text.split("\n");
    let at = -1;
    for (const line of lines) {
      at = printed.findIndex((one, index) => index > at && isLine(one, line));
      expect(at, `"${line.toString()}" in its place in:\n${text}`).toBeGreaterThan(-1);
    }
  });

  it("leave nothing behind where they run", () => {
    expect(readdirSync(cwd)).toEqual(["kept"]);
  });
});

function isLine(printed: string, expected: string | RegExp): boolean {
  return typeof expected === "string" ? printed === expected : expected.test(printed);
}

function canRun(name: string): boolean {
  const needed = NEEDED[name];
  return needed === undefined || servers[needed] !== undefined;
}

// What the servers of the tests promise is up to their settings.
function noted(): RegExp {
  return /^Order 2 is noted\. Writes survive: [a-z-]+$/;
}
