import { describe, expect, it } from "vitest";
import { Conversation } from "./conversation.ts";

describe("a run that is to end with its turn", () => {
  it("does not end with a turn behind which another of it waits", async () => {
    const talk = new Conversation();
    const first = await talk.begin({ input: "a" });
    const { runId } = first.claim;
    const behind = { input: "b", run: { runId, turn: 1 }, onBusy: "queue" } as const;
    expect(await talk.ledger.accept(talk.key, behind)).toMatchObject({ kind: "accepted" });
    const content = { messages: [], artifacts: [] };
    await talk.ledger.finish(talk.key, first, { status: "completed", content, endsRun: true });
    const claimed = await talk.ledger.claim(talk.key);
    if (claimed.kind !== "claimed") throw new Error("The turn that waits must be there.");
    const second = await talk.ledger.work(talk.key, claimed.claim);
    await talk.ledger.finish(talk.key, second, { status: "completed", content, endsRun: true });
    const events = await talk.ledger.readEvents(talk.key, runId);
    expect(events.map(({ event }) => event.type)).toEqual(["turnEnd", "turnEnd", "runEnd"]);
  });
});
