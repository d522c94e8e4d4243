import type { LocalAgent, SessionStore } from "turnkeep";
import { describe, expect, test } from "vitest";
import { turnDeadline } from "../../support/turn-deadline.ts";
import { gateOf, untilAborted } from "../registry/registered.ts";
import { sqlitePlace } from "../plugins/stores.ts";
import { freshAi, helper, lead, memory, textOf } from "./crew.ts";

describe("an abort of the one who asks", () => {
  const ways: readonly (readonly [
    how: string,
    abort: (outer: LocalAgent, caller: AbortController) => Promise<unknown> | void,
  ])[] = [
    [
      "by its snapshot",
      async (outer) => {
        const [pending] = await outer.listSnapshots("s");
        await outer.abort(pending!.snapshotId);
      },
    ],
    ["by its caller's signal", (_, caller) => caller.abort()],
  ];

  test.each(ways)("%s aborts the one who is asked, down to its model", async (_, abort) => {
    const { outer, asked, begun, reasons } = waitingCrew(memory());
    const caller = new AbortController();
    const running = outer.runText("dig", { sessionId: "s", signal: caller.signal });
    await begun;
    await abort(outer, caller);
    expect(await running).toMatchObject({ finishReason: "aborted" });
    const [inner] = await asked.listSnapshots("s:helper");
    expect(await asked.waitFor(inner!.snapshotId)).toMatchObject({ status: "aborted" });
    expect(reasons).toHaveLength(1);
  });

  test.each(ways)("%s reaches the third of three", async (how, abort) => {
    const { ai, asked, begun, reasons } = waitingCrew(memory());
    const middle = lead({ ai, store: memory(), agents: [asked], name: "middle" });
    const top = lead({ ai, store: memory(), agents: [middle], name: "top", tool: "middle" });
    const caller = new AbortController();
    const running = top.runText("dig", { sessionId: "s", signal: caller.signal });
    await begun;
    await abort(top, caller);
    expect(await running, how).toMatchObject({ finishReason: "aborted" });
    const [last] = await asked.listSnapshots("s:middle:helper");
    expect(await asked.waitFor(last!.snapshotId)).toMatchObject({ status: "aborted" });
    expect(reasons).toHaveLength(1);
  });

  test("from another machine does so too", async () => {
    const place = await sqlitePlace();
    const { outer, asked, begun, reasons } = waitingCrew(await place.open());
    const elsewhere = waitingCrew(await place.open()).outer;
    const running = outer.runText("dig", { sessionId: "s" });
    await begun;
    const [pending] = await elsewhere.listSnapshots("s");
    await elsewhere.abort(pending!.snapshotId);
    expect(await running).toMatchObject({ finishReason: "aborted" });
    const [inner] = await asked.listSnapshots("s:helper");
    expect(await asked.waitFor(inner!.snapshotId)).toMatchObject({ status: "aborted" });
    expect(reasons).toHaveLength(1);
  });

  test("that has no store aborts one that has none either", async () => {
    const { outer, begun, reasons } = waitingCrew(undefined);
    const caller = new AbortController();
    const running = outer.runText("dig", { signal: caller.signal });
    await begun;
    caller.abort();
    expect(await running).toMatchObject({ finishReason: "aborted" });
    expect(reasons).toHaveLength(1);
  });
});

describe("one who is asked", () => {
  test("and is aborted fails the asker, who can be tried again", async () => {
    const { outer, asked, begun, go } = waitingCrew(memory());
    const running = outer.runText("dig", { sessionId: "s" });
    await begun;
    const [inner] = await asked.listSnapshots("s:helper");
    await asked.abort(inner!.snapshotId);
    expect(await running).toMatchObject({
      finishReason: "failed",
      error: { status: "ABORTED", message: expect.stringContaining("'helper'") },
    });
    go();
    expect(textOf(await outer.run({}, { sessionId: "s" }))).toBe('told {"answer":"done"}');
  });

  test("and fails fails the asker with its status and words, who can be tried again", async () => {
    const ai = freshAi();
    let failures = 1;
    const asked = helper({ ai, store: memory() }, () => {
      failures -= 1;
      if (failures >= 0) throw Object.assign(new Error("too much"), { status: "UNAVAILABLE" });
      return "done";
    });
    const outer = lead({ ai, store: memory(), agents: [asked] });
    expect(await outer.runText("dig", { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
      error: {
        status: "UNAVAILABLE",
        message: expect.stringMatching(/agent 'helper' did not answer: .*too much/),
      },
    });
    expect(await asked.listSnapshots("s:helper")).toMatchObject([{ status: "failed" }]);
    expect(textOf(await outer.run({}, { sessionId: "s" }))).toBe('told {"answer":"done"}');
  });

  test("and takes longer than the asker may is aborted", async () => {
    const { ai, asked, begun, reasons } = waitingCrew(memory());
    const deadline = turnDeadline();
    const options = { name: "hasty", agents: [asked], ...deadline.options };
    const hasty = lead({ ai, store: memory(), ...options });
    const output = hasty.runText("dig", { sessionId: "s" });
    await begun;
    deadline.pass();
    expect(await output).toMatchObject({
      finishReason: "failed",
      error: { status: "DEADLINE_EXCEEDED" },
    });
    const [inner] = await asked.listSnapshots("s:helper");
    expect(await asked.waitFor(inner!.snapshotId)).toMatchObject({ status: "aborted" });
    expect(reasons).toHaveLength(1);
  });

  test("and has too many waiting fails the asker", async () => {
    const ai = freshAi();
    const asked = helper({ ai, store: memory(), limits: { queuedInputs: 1 } }, () => "done");
    const outer = lead({ ai, store: memory(), agents: [asked] });
    expect(await outer.runText("a + b + c + d")).toMatchObject({
      finishReason: "failed",
      error: { status: "RESOURCE_EXHAUSTED" },
    });
  });
});

/** An asker and one who is asked, whose model waits until it is told to go on. */
function waitingCrew(store: SessionStore | undefined): {
  readonly ai: ReturnType<typeof freshAi>;
  readonly outer: LocalAgent;
  readonly asked: LocalAgent;
  readonly begun: Promise<void>;
  readonly go: () => void;
  readonly reasons: readonly unknown[];
} {
  const ai = freshAi();
  const begun = gateOf();
  const go = gateOf();
  const reasons: unknown[] = [];
  const asked = helper({ ai, ...(store && { store }) }, async ({ signal }) => {
    begun.open();
    signal.addEventListener("abort", () => reasons.push(signal.reason));
    await Promise.race([untilAborted(signal), go.promise]);
    return "done";
  });
  const outer = lead({ ai, store, agents: [asked] });
  return { ai, outer, asked, begun: begun.promise, go: go.open, reasons };
}
