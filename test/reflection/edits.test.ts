import type { SessionState } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { errorOf } from "../agent/authoring/turns.ts";
import { reflecting } from "./reflecting.ts";

const LIMIT = 4096;

async function edited(limits: { readonly stateCharacters?: number } = {}) {
  const agent = echoAgent({ store: new MemoryStore(), limits });
  const { snapshotId = "" } = await agent.runText("hi", { sessionId: "s" });
  const { ask, errors } = reflecting([agent]);
  const fork = (patch: readonly object[], as = "session") =>
    ask(`agents/echo/snapshots/${snapshotId}/fork`, { body: { patch, as } });
  return { agent, snapshotId, fork, errors };
}

/** A list of texts that is copied into itself: each copy doubles it. */
function bomb(copies: number): readonly object[] {
  return [
    { op: "add", path: "/custom", value: ["x".repeat(1000)] },
    ...Array.from({ length: copies }, () => ({ op: "copy", from: "/custom", path: "/custom/-" })),
  ];
}

test("a patch that copies a list into itself is refused before the state grows", async () => {
  const { agent, fork, errors } = await edited();
  for (const as of ["session", "branch"]) {
    for (const copies of [16, 20, 25, 400]) {
      const { status, body } = await fork(bomb(copies), as);
      expect([status, body.error?.details?.reason], `${copies} copies`).toEqual([
        400,
        "PATCH_REFUSED",
      ]);
    }
  }
  expect(errors).toEqual([]);
  expect((await agent.listSessions()).sessions).toHaveLength(1);
  expect(await agent.listSnapshots("s")).toHaveLength(1);
});

test("an edit is held to the limit of the state, as a turn is", async () => {
  const { agent, snapshotId, fork } = await edited({ stateCharacters: LIMIT });
  const add = (length: number) => [{ op: "add", path: "/custom", value: "x".repeat(length) }];
  for (const as of ["session", "branch"]) {
    // The patch itself is short enough; together with the messages the state is not.
    expect((await fork(add(LIMIT - 1000), as)).status).toBe(201);
    const { status, body } = await fork(add(LIMIT - 20), as);
    expect([status, body.error?.details?.reason]).toEqual([429, "LIMIT_EXCEEDED"]);
  }
  const state: SessionState = { custom: "x".repeat(LIMIT) };
  for (const work of [
    () => agent.fork(snapshotId, { state }),
    () => agent.branch(snapshotId, { state }),
  ]) {
    expect(await errorOf(work)).toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      reason: "LIMIT_EXCEEDED",
      details: { limit: LIMIT },
    });
  }
});
