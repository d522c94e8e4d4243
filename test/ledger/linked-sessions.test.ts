import { describe, expect, it } from "vitest";
import { Conversation, HOUR } from "./conversation.ts";

const HELPER = { agent: "helper", sessionId: "session:helper" };

describe("a session that belongs to another", () => {
  it("is noted once, by the worker of a turn", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual({ kind: "linked" });
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual({ kind: "linked" });
    expect(await talk.rows("link/")).toHaveLength(1);
  });

  it("is not noted by a worker that lost its turn", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    await talk.ledger.abort(talk.key, { runId: claim.runId });
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual({ kind: "fenced" });
    const next = await talk.begin({ input: "b", onBusy: "queue" }).catch(() => undefined);
    expect(next).toBeUndefined();
    talk.now += HOUR;
    expect(await talk.ledger.claim(talk.key)).toMatchObject({ kind: "claimed" });
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual({ kind: "fenced" });
    expect(await talk.rows("link/")).toHaveLength(0);
  });

  it("is one of at most 10,000", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    for (let count = 0; count < 10_000; count += 1) {
      await talk.ledger.link(talk.key, claim, { agent: "helper", sessionId: `s${count}` });
    }
    const refused = { kind: "too-many", limit: 10_000 };
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual(refused);
  });

  it("has to go first", async () => {
    const talk = new Conversation();
    const { claim } = await talk.begin({ input: "a" });
    await talk.ledger.link(talk.key, claim, HELPER);
    const waiting = { kind: "linked", linked: [HELPER] };
    expect(await talk.ledger.remove(talk.key)).toEqual(waiting);
    const other = { agent: "other", sessionId: "session:other" };
    await talk.ledger.link(talk.key, claim, other);
    // It was noted while the first one was deleted.
    expect(await talk.ledger.remove(talk.key, [HELPER])).toMatchObject({ kind: "linked" });
    expect(await talk.ledger.remove(talk.key, [HELPER, other])).toEqual({ kind: "removed" });
    expect(await talk.rows()).toEqual([]);
    expect(await talk.ledger.link(talk.key, claim, HELPER)).toEqual({ kind: "fenced" });
  });
});
