import type { AgentOutput, Resume } from "turnkeep";
import { toolCall } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { untilAborted } from "../../agent/life/waiting.ts";
import { type Workshop, workshop, type WorkshopOptions } from "../tools/workshop.ts";

const PAY = { name: "pay", ref: "p1", input: { to: "landlord", euros: 900 } };
const APPROVAL: Resume = {
  restart: [{ toolRequest: PAY, metadata: { resumed: { note: "It is due." } } }],
};

interface Office extends Workshop {
  /** The keys that payments were made with. */
  readonly paid: string[];
  /** The snapshot that waits for the approval. */
  readonly waiting: string;
  /** Approves at a snapshot, or at the head of a session. */
  readonly approve: (
    at: { readonly snapshotId: string } | { readonly sessionId: string },
    resume?: Resume,
  ) => Promise<AgentOutput>;
}

/** An agent that has asked whether it may pay. */
async function office(store: WorkshopOptions["store"]): Promise<Office> {
  const paid: string[] = [];
  const made = workshop({
    ...(store && { store }),
    tools: {
      pay: (_, options) => {
        if (!options.resumed) options.interrupt({ question: "May I?" });
        paid.push(toolCall(options)!.idempotencyKey);
        return "paid";
      },
    },
  });
  made.model.asksFor(PAY);
  const output = await made.agent.runText("Pay the rent.", { sessionId: "s" });
  return {
    ...made,
    paid,
    waiting: output.snapshotId!,
    approve: async (at, resume = APPROVAL) => {
      made.model.says("Done.");
      return await made.agent.run({ resume }, at);
    },
  };
}

const ANSWERED = {
  finishReason: "failed",
  error: { status: "FAILED_PRECONDITION", details: { reason: "ALREADY_ANSWERED" } },
};

describe.each(STORES)("an interrupt over %s", (_, openStore) => {
  it("is answered once, at the head, in a branch, in a fork and in a fork of the fork", async () => {
    const { agent, paid, waiting, approve } = await office(await openStore());
    const first = await agent.fork(waiting, { sessionId: "first" });
    const second = await agent.fork(first.snapshotId, { sessionId: "second" });
    expect(await approve({ sessionId: "s" })).toMatchObject({ finishReason: "stop" });
    const late = await agent.fork(waiting, { sessionId: "late" });
    for (const snapshotId of [waiting, first.snapshotId, second.snapshotId, late.snapshotId]) {
      expect(await approve({ snapshotId })).toMatchObject(ANSWERED);
    }
    expect(paid).toHaveLength(1);
  });

  it("is answered in a fork, and then not in the session that asked", async () => {
    const { agent, paid, waiting, approve } = await office(await openStore());
    await agent.fork(waiting, { sessionId: "fork" });
    expect(await approve({ sessionId: "fork" })).toMatchObject({ finishReason: "stop" });
    expect(await approve({ sessionId: "s" })).toMatchObject(ANSWERED);
    expect(paid).toHaveLength(1);
  });

  it("is not opened again by a refused message in another branch", async () => {
    const { agent, paid, waiting, approve } = await office(await openStore());
    await approve({ sessionId: "s" });
    const refused = await agent.run(user("Hello?"), { snapshotId: waiting }).catch(() => undefined);
    const at = refused?.snapshotId ?? waiting;
    expect(await approve({ snapshotId: at })).toMatchObject(ANSWERED);
    expect(paid).toHaveLength(1);
  });

  it("is answered again only where the process says so, with the same idempotency key", async () => {
    const { agent, paid, waiting, approve } = await office(await openStore());
    const { snapshotId } = await agent.fork(waiting, { sessionId: "fork" });
    await approve({ sessionId: "s" });
    for (const at of [{ snapshotId: waiting }, { snapshotId }]) {
      const output = await approve(at, { ...APPROVAL, again: true });
      expect(output).toMatchObject({ finishReason: "stop" });
    }
    expect(paid).toHaveLength(3);
    expect(new Set(paid).size).toBe(1);
  });

  it("has another idempotency key when it is asked anew", async () => {
    const { agent, model, paid, approve } = await office(await openStore());
    await approve({ sessionId: "s" });
    model.asksFor(PAY);
    await agent.runText("Once more.", { sessionId: "s" });
    await approve({ sessionId: "s" });
    expect(new Set(paid).size).toBe(2);
  });

  it("can still be answered after answers that did not fit", async () => {
    const { agent, paid, waiting, approve } = await office(await openStore());
    const forged = { restart: [{ toolRequest: { ...PAY, input: { to: "me", euros: 1 } } }] };
    for (const at of [{ sessionId: "s" }, { snapshotId: waiting }]) {
      const { error } = await agent.run({ resume: forged }, at);
      expect(error?.status).toBe("INVALID_ARGUMENT");
    }
    expect(await approve({ snapshotId: waiting })).toMatchObject({ finishReason: "stop" });
    expect(paid).toHaveLength(1);
  });

  it("can be answered again where its answer failed, and only there", async () => {
    const paid: string[] = [];
    const store = await openStore();
    const { agent, model } = workshop({
      ...(store && { store }),
      tools: {
        pay: (_, options) => {
          if (!options.resumed) options.interrupt({ question: "May I?" });
          paid.push(toolCall(options)!.idempotencyKey);
          if (paid.length === 1) throw new Error("The bank is closed.");
          return "paid";
        },
      },
    });
    model.asksFor(PAY);
    const asked = await agent.runText("Pay the rent.", { sessionId: "s" });
    expect(await agent.run({ resume: APPROVAL }, { sessionId: "s" })).toMatchObject({
      finishReason: "failed",
    });
    const elsewhere = await agent.run({ resume: APPROVAL }, { snapshotId: asked.snapshotId! });
    expect(elsewhere).toMatchObject(ANSWERED);
    const failed = (await agent.listSnapshots("s")).find(
      ({ error }) => error !== undefined && error.status !== "FAILED_PRECONDITION",
    );
    model.says("Done.");
    const output = await agent.run({ resume: APPROVAL }, { snapshotId: failed!.snapshotId });
    expect(output).toMatchObject({ finishReason: "stop" });
    expect(paid).toHaveLength(2);
    expect(new Set(paid).size).toBe(1);
  });

  it("can be answered again after its answer was aborted", async () => {
    const { agent, model, waiting, approve } = await office(await openStore());
    let begun = (): void => {};
    const working = new Promise<void>((resolve) => (begun = resolve));
    model.replies(async ({ signal }) => {
      begun();
      return await untilAborted(signal!);
    });
    const run = agent.stream({ resume: APPROVAL }, { sessionId: "s" });
    await working;
    await agent.abort(run.runId);
    await run.output;
    expect(await approve({ snapshotId: waiting })).toMatchObject({ finishReason: "stop" });
  });
});

it("an interrupt in a state that the client carries has one idempotency key, however often it is answered", async () => {
  const paid: string[] = [];
  const { agent, model } = workshop({
    tools: {
      pay: (_, options) => {
        if (!options.resumed) options.interrupt({ question: "May I?" });
        paid.push(toolCall(options)!.idempotencyKey);
        return "paid";
      },
    },
  });
  model.asksFor(PAY);
  const asked = await agent.runText("Pay the rent.");
  for (let time = 0; time < 2; time += 1) {
    model.says("Done.");
    await agent.run({ resume: APPROVAL }, { state: asked.state! });
  }
  expect(paid).toHaveLength(2);
  expect(new Set(paid).size).toBe(1);
});
