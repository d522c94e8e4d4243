import type { Genkit } from "genkit";
import type { LocalAgent, SessionStore } from "turnkeep";
import { defineCustomAgent } from "turnkeep/genkit";
import { describe, expect, test } from "vitest";
import { unreliable } from "../../agent/life/unreliable-store.ts";
import { sqlitePlace } from "../plugins/stores.ts";
import { gateOf, untilAborted, user } from "../registry/registered.ts";
import type { Thought } from "../registry/thinking-model.ts";
import { closing, freshAi, helper, lead, textOf } from "./crew.ts";

describe("a turn that goes on elsewhere", () => {
  test("finds the agent it asked at work, and does not ask it twice", async () => {
    const place = await sqlitePlace();
    const work = workOf();
    const first = crew({ asker: await place.open(), asked: await place.open(), work });
    const { snapshotId } = await first.outer.detach(user("dig"), { sessionId: "s" });
    await work.begun;
    await first.outer.close();
    // The asker is gone; the one who was asked works on.
    const second = crew({ asker: await place.open(), asked: await place.open(), work });
    const done = second.outer.waitFor(snapshotId);
    expect(await second.asked.listSnapshots("s:helper")).toMatchObject([{ status: "pending" }]);
    work.go();
    expect(textOf({ message: (await done).state!.messages!.at(-1)! })).toBe(
      'told {"answer":"done"}',
    );
    expect(work.count()).toBe(1);
    expect(await second.asked.listSnapshots("s:helper")).toMatchObject([{ status: "completed" }]);
  });

  test("gets the answer that its dead predecessor could not write down", async () => {
    const place = await sqlitePlace();
    const work = workOf();
    const mortal = unreliable(await place.open());
    const leaseMs = 900;
    const first = crew({ asker: mortal.store, asked: await place.open(), work, leaseMs });
    const { snapshotId } = await first.outer.detach(user("dig"), { sessionId: "s" });
    await work.begun;
    mortal.fails = () => true;
    work.go();
    const second = crew({ asker: await place.open(), asked: await place.open(), work, leaseMs });
    const { state } = await second.outer.waitFor(snapshotId);
    expect(textOf({ message: state!.messages!.at(-1)! })).toBe('told {"answer":"done"}');
    expect(work.count()).toBe(1);
  });

  test("asks a person when nobody knows what became of an agent without a store", async () => {
    const place = await sqlitePlace();
    const work = workOf();
    const first = crew({ asker: await place.open(), asked: undefined, work });
    const { snapshotId } = await first.outer.detach(user("dig"), { sessionId: "s" });
    await work.begun;
    await first.outer.close();
    expect(await work.stopped).toMatchObject({ reason: "TURN_TAKEN" });
    const second = crew({ asker: await place.open(), asked: undefined, work });
    const { finishReason, state } = await second.outer.waitFor(snapshotId);
    expect(finishReason).toBe("interrupted");
    expect(state?.messages?.at(-1)?.content[0]?.metadata).toMatchObject({
      interrupt: { reason: "UNKNOWN_TOOL_OUTCOME" },
    });
    expect(work.count()).toBe(1);
  });
});

// Reported: what a tool changes in the session is not in the journal, only what it answers.
test("a turn that goes on elsewhere has what the agent it asked had made", async () => {
  const place = await sqlitePlace();
  const begun = gateOf();
  const first = writingCrew(await place.open(), async ({ signal }) => {
    begun.open();
    return await untilAborted(signal);
  });
  const { snapshotId } = await first.detach(user("dig"), { sessionId: "s" });
  await begun.promise;
  await first.close();
  const second = writingCrew(await place.open(), () => "done");
  const { status, state } = await second.waitFor(snapshotId);
  expect(status).toBe("completed");
  expect(state?.artifacts).toMatchObject([{ name: "page" }]);
});

/** An asker that says this after it was answered, and a writer. */
function writingCrew(
  store: SessionStore,
  last: (thought: Thought) => string | Promise<string>,
): LocalAgent {
  const ai = freshAi();
  const writer = defineCustomAgent(ai, { name: "writer", store }, async ({ session }) => {
    await session.run(() => session.addArtifacts({ name: "page", parts: [{ text: "a" }] }));
    return session.result();
  });
  return helper({ ai, name: "lead", store, agents: [closing(writer)] }, (thought) =>
    thought.isAnswered ? last(thought) : [{ tool: "writer", input: { task: "a page" } }],
  );
}

interface Work {
  /** Resolves when the model of the asked agent is at work. */
  readonly begun: Promise<void>;
  /** Lets it end. */
  readonly go: () => void;
  readonly count: () => number;
  /** What its signal aborted with. */
  readonly stopped: Promise<unknown>;
  readonly think: (signal: AbortSignal) => Promise<string>;
}

/** What the asked agent does, wherever it is done. */
function workOf(): Work {
  const begun = gateOf();
  const go = gateOf();
  let count = 0;
  let stop: (reason: unknown) => void = () => {};
  const stopped = new Promise<unknown>((resolve) => (stop = resolve));
  return {
    begun: begun.promise,
    go: go.open,
    count: () => count,
    stopped,
    think: async (signal) => {
      count += 1;
      begun.open();
      signal.addEventListener("abort", () => stop(signal.reason));
      await Promise.race([go.promise, stopped]);
      return "done";
    },
  };
}

interface Stores {
  readonly asker: SessionStore;
  readonly asked: SessionStore | undefined;
  readonly work: Work;
  /** How long the asker may be silent before others go on. */
  readonly leaseMs?: number;
}

/** Both agents in one process of their own. */
function crew({ asker, asked: store, work, leaseMs }: Stores): {
  readonly ai: Genkit;
  readonly outer: LocalAgent;
  readonly asked: LocalAgent;
} {
  const ai = freshAi();
  const asked = helper({ ai, ...(store && { store }) }, ({ signal }) => work.think(signal));
  const limits = { ...(leaseMs !== undefined && { leaseMs }) };
  return { ai, outer: lead({ ai, store: asker, agents: [asked], limits }), asked };
}
