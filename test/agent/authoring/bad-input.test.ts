import type { LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { user } from "../agents.ts";
import { confide, METHODS, type MethodName, type Secretive, worldOf } from "./methods.ts";
import { collect, errorOf } from "./turns.ts";

type Ask = (agent: LocalAgent<Secretive>, bad: never) => unknown;

const NO_TEXT: readonly unknown[] = [undefined, null, 5, {}, [], true, () => "s.1", Symbol("s")];
const NO_INPUT: readonly unknown[] = [
  null,
  "hi",
  5,
  [],
  { message: "hi" },
  { message: { role: "user" } },
  { message: { role: "robot", content: [] } },
  { message: { role: "user", content: [{ text: 5 }] } },
  { resume: [] },
  { detach: "yes" },
];
const NO_READER: readonly unknown[] = [
  null,
  5,
  "x",
  [],
  { tenant: 5 },
  { tenant: "" },
  { context: "me" },
  { context: [] },
];
const NO_WAITER: readonly unknown[] = [...NO_READER, { signal: {} }, { signal: "now" }];
const NO_CALL: readonly unknown[] = [
  ...NO_WAITER,
  { sessionId: 5 },
  { sessionId: "" },
  { snapshotId: 5 },
  { snapshotId: {} },
  { onBusy: "wait" },
  { requestId: 5 },
  { principal: {} },
  { expectedHead: 5 },
  { state: 5 },
];

const ID = "s.1";
const INPUT = user("hi");

// For every method: what it takes, one wrong thing at a time.
const BAD: Readonly<Record<MethodName, readonly (readonly [Ask, readonly unknown[]])[]>> = {
  run: [
    [(agent, bad) => agent.run(bad), NO_INPUT],
    [(agent, bad) => agent.run(INPUT, bad), NO_CALL],
  ],
  runText: [
    [(agent, bad) => agent.runText(bad), NO_TEXT],
    [(agent, bad) => agent.runText("hi", bad), NO_CALL],
  ],
  stream: [
    [(agent, bad) => agent.stream(bad).output, NO_INPUT],
    [(agent, bad) => collect(agent.stream(bad).chunks), NO_INPUT],
    [(agent, bad) => agent.stream(INPUT, bad).output, NO_CALL],
  ],
  streamText: [
    [(agent, bad) => agent.streamText(bad).output, NO_TEXT],
    [(agent, bad) => agent.streamText("hi", bad).output, NO_CALL],
  ],
  connect: [
    [(agent, bad) => agent.connect(bad), NO_CALL],
    [(agent, bad) => agent.connect().send(bad), NO_INPUT],
    [(agent, bad) => agent.connect().sendText(bad), NO_TEXT],
    [(agent, bad) => agent.connect().sendMessage(bad), [null, "hi", {}, [], { role: "user" }]],
    [(agent, bad) => agent.connect().sendResume(bad), [null, "hi", [], { respond: {} }]],
  ],
  detach: [
    [(agent, bad) => agent.detach(bad), NO_INPUT],
    [(agent, bad) => agent.detach(INPUT, bad), NO_CALL],
  ],
  attach: [
    [(agent, bad) => collect(agent.attach(bad)), NO_TEXT],
    [
      (agent, bad) => collect(agent.attach(ID, bad)),
      [...NO_WAITER, { after: "1" }, { after: -1 }, { after: 0.5 }, { after: Number.NaN }],
    ],
  ],
  followRun: [
    [(agent, bad) => collect(agent.followRun(bad)), NO_TEXT],
    [(agent, bad) => collect(agent.followRun(ID, bad)), [...NO_WAITER, { after: -1 }]],
  ],
  joinRun: [
    [(agent, bad) => agent.joinRun(bad, {}, () => true), NO_TEXT],
    [(agent, bad) => agent.joinRun(ID, bad, () => true), [...NO_WAITER, { after: -1 }]],
  ],
  waitFor: [
    [(agent, bad) => agent.waitFor(bad), NO_TEXT],
    [(agent, bad) => agent.waitFor(ID, bad), NO_WAITER],
  ],
  getOutput: [
    [(agent, bad) => agent.getOutput(bad), NO_TEXT],
    [(agent, bad) => agent.getOutput(ID, bad), NO_WAITER],
  ],
  findOutput: [
    [(agent, bad) => agent.findOutput(bad), NO_TEXT],
    [(agent, bad) => agent.findOutput(ID, bad), NO_WAITER],
  ],
  abort: [
    [(agent, bad) => agent.abort(bad), NO_TEXT],
    [(agent, bad) => agent.abort(ID, bad), NO_READER],
  ],
  getSnapshot: [
    [(agent, bad) => agent.getSnapshot(bad), NO_TEXT],
    [(agent, bad) => agent.getSnapshot(ID, bad), NO_READER],
  ],
  getLatestSnapshot: [
    [(agent, bad) => agent.getLatestSnapshot(bad), NO_TEXT],
    [(agent, bad) => agent.getLatestSnapshot("s", bad), NO_READER],
  ],
  listSnapshots: [
    [(agent, bad) => agent.listSnapshots(bad), NO_TEXT],
    [(agent, bad) => agent.listSnapshots("s", bad), NO_READER],
  ],
  listSessions: [
    [
      (agent, bad) => agent.listSessions(bad),
      [
        ...NO_READER,
        { limit: 0 },
        { limit: -1 },
        { limit: 1.5 },
        { limit: "3" },
        { limit: Number.POSITIVE_INFINITY },
        { after: 5 },
        { after: "no cursor" },
        { activity: "busy" },
      ],
    ],
  ],
  fork: [
    [(agent, bad) => agent.fork(bad), NO_TEXT],
    [
      (agent, bad) => agent.fork(ID, bad),
      [...NO_READER, { sessionId: 5 }, { sessionId: "" }, { state: 5 }, { state: { messages: 5 } }],
    ],
  ],
  diff: [
    [(agent, bad) => agent.diff(bad, ID), NO_TEXT],
    [(agent, bad) => agent.diff(ID, bad), NO_TEXT],
    [(agent, bad) => agent.diff(ID, ID, bad), NO_READER],
  ],
  label: [
    [(agent, bad) => agent.label(bad, { pin: ID }), NO_TEXT],
    [
      (agent, bad) => agent.label("s", bad),
      [
        undefined,
        null,
        "good",
        [],
        {},
        { label: "x" },
        { label: 5, snapshotId: ID },
        { label: " ", snapshotId: ID },
        { label: "x", snapshotId: 5 },
        { label: "x", snapshotId: ID, pin: ID },
        { pin: 5 },
        { unpin: {} },
        { removeLabel: 5 },
        { pin: ID, unpin: ID },
      ],
    ],
    [(agent, bad) => agent.label("s", { pin: ID }, bad), NO_READER],
  ],
  deleteSession: [
    [(agent, bad) => agent.deleteSession(bad), NO_TEXT],
    [(agent, bad) => agent.deleteSession("s", bad), NO_READER],
  ],
  exportSession: [
    [(agent, bad) => collect(agent.exportSession(bad)), NO_TEXT],
    [(agent, bad) => collect(agent.exportSession("s", bad)), NO_READER],
  ],
  importSession: [
    [(agent, bad) => agent.importSession(bad, []), NO_TEXT],
    [
      (agent, bad) => agent.importSession("new", bad),
      [undefined, null, 5, {}, [], [5], [null], ["{}"], ["no json"], [["x"]]],
    ],
    [(agent, bad) => agent.importSession("new", [], bad), NO_READER],
  ],
};

describe.each(METHODS)("%s", (name) => {
  it("refuses whatever it cannot use with a clear error, and changes nothing", async () => {
    const store = new MemoryStore();
    const { agent } = await worldOf(store, confide({ store }));
    const before = await everythingOf(agent);
    for (const [ask, bads] of BAD[name]) {
      for (const bad of bads) {
        const label = `${ask.toString()} with ${describeValue(bad)}`;
        const error = await errorOf(() => ask(agent, bad as never)).catch((cause: unknown) => {
          throw new Error(label, { cause });
        });
        expect(error.status, label).toBe("INVALID_ARGUMENT");
        expect(error.message, label).toMatch(/^[^\n]{10,300}$/);
      }
    }
    expect(await everythingOf(agent)).toBe(before);
  });

  it("needs a store, where it reads what was kept", async () => {
    const talking: readonly MethodName[] = [
      "run",
      "runText",
      "stream",
      "streamText",
      "connect",
      "detach",
    ];
    if (talking.includes(name)) return;
    const agent = confide({ name: "bare" });
    const asks: Partial<Record<MethodName, () => unknown>> = {
      diff: () => agent.diff(ID, ID),
      label: () => agent.label("s", { pin: ID }),
      importSession: () => agent.importSession("s", []),
      listSessions: () => agent.listSessions(),
      attach: () => collect(agent.attach(ID)),
      followRun: () => collect(agent.followRun(ID)),
      joinRun: () => agent.joinRun(ID, {}, () => true),
      exportSession: () => collect(agent.exportSession("s")),
    };
    const ask = asks[name] ?? (() => (agent[name] as (id: string) => unknown)(ID));
    expect(await errorOf(ask)).toMatchObject({
      status: "FAILED_PRECONDITION",
      message:
        "This operation requires a persistent store. Provide a 'store' when defining 'bare'.",
    });
  });
});

async function everythingOf(agent: LocalAgent<Secretive>): Promise<string> {
  const { sessions } = await agent.listSessions();
  const lines = await Promise.all(
    sessions.map(({ sessionId }) => collect(agent.exportSession(sessionId))),
  );
  return JSON.stringify([sessions, lines]);
}

function describeValue(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : typeof value;
}
