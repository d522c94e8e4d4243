import { EMPTY_CONTENT } from "../../src/ledger/index.ts";
import { describe, expect, it } from "vitest";
import { Conversation } from "./conversation.ts";
import { readEvents } from "./read-events.ts";

describe("a run that is to end with its turn", () => {
  it("does not end with a turn behind which another of it waits", async () => {
    const talk = new Conversation();
    const first = await talk.begin({ input: "a" });
    const { runId } = first.claim;
    const behind = { input: "b", run: { runId, turn: 1 }, onBusy: "queue" } as const;
    expect(await talk.ledger.accept(talk.key, behind)).toMatchObject({ kind: "accepted" });
    await talk.ledger.finish(talk.key, first, {
      status: "completed",
      content: EMPTY_CONTENT,
      endsRun: true,
    });
    const claimed = await talk.ledger.claim(talk.key);
    if (claimed.kind !== "claimed") throw new Error("The turn that waits must be there.");
    const second = await talk.ledger.work(talk.key, claimed.claim);
    await talk.ledger.finish(talk.key, second, {
      status: "completed",
      content: EMPTY_CONTENT,
      endsRun: true,
    });
    const events = await readEvents(talk.ledger, { key: talk.key, runId });
    expect(events.map(({ event }) => event.type)).toEqual(["turnEnd", "turnEnd", "runEnd"]);
  });
});

describe("a run that was aborted", () => {
  it("is in the way of the next until its worker's lease is over, and no longer", async () => {
    const talk = new Conversation();
    await talk.say("first");
    const start = (await talk.tree.findHead(talk.key))!;
    const { claim } = await talk.begin({ input: "a" });
    await talk.ledger.abort(talk.key, { runId: claim.runId });
    const branch = () => talk.tree.branch(talk.key, start, start.content);
    expect(await talk.ledger.accept(talk.key, { input: "b" })).toMatchObject({ kind: "busy" });
    expect(await branch()).toEqual({ kind: "busy" });
    talk.now += 1000;
    expect(await branch()).toMatchObject({ kind: "branched" });
    const next = await talk.ledger.accept(talk.key, { input: "c" });
    if (next.kind !== "accepted") throw new Error(`The next is ${next.kind}.`);
    const { snapshotId } = next.turn;
    expect(await talk.ledger.claim(talk.key)).toMatchObject({ claim: { snapshotId } });
  });
});
