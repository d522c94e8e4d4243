import type { LocalAgent } from "turnkeep";
import { describe, expect, it } from "vitest";
import { user } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { unreliable } from "../agent/life/unreliable-store.ts";
import { untilAborted } from "../agent/life/waiting.ts";
import { TEST_PLACES, testStoreOn } from "../support/places/test-places.ts";

const REASON = new Error("bored");

type Send = (agent: LocalAgent, signal: AbortSignal) => Promise<unknown>;

const WAYS: readonly (readonly [name: string, send: Send])[] = [
  ["run", (agent, signal) => agent.runText("a", { sessionId: "s", signal })],
  ["stream", (agent, signal) => agent.streamText("a", { sessionId: "s", signal }).output],
  ["connect", (agent, signal) => agent.connect({ sessionId: "s", signal }).sendText("a")],
  ["detach", (agent, signal) => agent.detach(user("a"), { sessionId: "s", signal })],
];

// A call of the store by this name aborts it as soon as it was made.
type Moment = "the first tick" | "load" | "commit";

async function abortAt(
  moment: Moment,
  { name, isDispatched = false }: { name: (typeof TEST_PLACES)[number]; isDispatched?: boolean },
): Promise<{
  readonly agent: LocalAgent;
  readonly begun: readonly string[];
  readonly start: (send: Send) => Promise<unknown>;
}> {
  const begun: string[] = [];
  const control = unreliable(await testStoreOn(name));
  await control.store.open();
  const agent = slowAgent(
    {
      store: control.store,
      ...(isDispatched && { dispatcher: { dispatch: async () => {} } }),
    },
    async (text, { signal }) => {
      begun.push(text);
      await untilAborted(signal);
    },
  );
  await (await agent.takeWorkDesk()).open();
  const caller = new AbortController();
  return {
    agent,
    begun,
    start: (send) => {
      control.fails = (call) => {
        if (call === moment) queueMicrotask(() => caller.abort(REASON));
        return false;
      };
      const sent = send(agent, caller.signal);
      if (moment === "the first tick") caller.abort(REASON);
      return sent;
    },
  };
}

describe.each(TEST_PLACES)("a signal that aborts early, over %s", (name) => {
  describe.each(["the first tick", "load"] as const)("at %s", (moment) => {
    it.each(WAYS)("lets nothing in: %s", async (_, send) => {
      const { agent, begun, start } = await abortAt(moment, { name });
      await expect(start(send)).rejects.toBe(REASON);
      expect(begun).toEqual([]);
      expect((await agent.listSessions()).sessions).toEqual([]);
    });

    it("sends nothing to workers", async () => {
      const { agent, start } = await abortAt(moment, { name, isDispatched: true });
      await expect(start((_, signal) => agent.detach(user("a"), { signal }))).rejects.toBe(REASON);
      expect((await agent.listSessions()).sessions).toEqual([]);
    });
  });

  it("while the input is committed ends the turn as aborted", async () => {
    const { agent, start } = await abortAt("commit", { name });
    const output = await start((_, signal) => agent.runText("a", { sessionId: "s", signal }));
    expect(output).toMatchObject({ finishReason: "aborted" });
    expect(await agent.listSnapshots("s")).toMatchObject([{ status: "aborted" }]);
  });

  it("while the input is committed for a worker ends the turn as aborted", async () => {
    const { agent, start } = await abortAt("commit", { name, isDispatched: true });
    await start((_, signal) => agent.detach(user("a"), { sessionId: "s", signal }));
    const [pending] = await agent.listSnapshots("s");
    expect(await agent.waitFor(pending?.snapshotId ?? "")).toMatchObject({ status: "aborted" });
  });
});
