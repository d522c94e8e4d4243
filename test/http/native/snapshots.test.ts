import { describe, expect, it } from "vitest";
import { echoAgent } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { agentOf } from "../../agent/authoring/turns.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { gateOf } from "../../agent/life/waiting.ts";
import { byToken, served, turn } from "../serving.ts";

describe.each(STORES)("snapshots over HTTP and %s", (_, open) => {
  it("are read, and waited for as long as the caller likes", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await open() }, () => gate.promise);
    const { ask } = await served([agent], { limits: { waitMs: 200 } });
    const { ask: askPatiently } = await served([agent], { limits: { waitMs: 100_000 } });
    const { snapshotId } = await agent.detach({
      message: { role: "user", content: [{ text: "go" }] },
    });
    const at = `/agents/slow/snapshots/${snapshotId}`;
    expect((await ask(at)).body).toMatchObject({ snapshotId, status: "pending" });
    expect((await ask(`${at}?wait=20`)).body.status).toBe("pending");
    expect((await ask(`${at}?wait=99999999`)).body.status).toBe("pending");
    const early = await ask(`${at}/output`);
    expect([early.status, early.body.details.retryable]).toEqual([400, true]);
    expect((await ask(`${at}/output?wait=20`)).status).toBe(400);
    const waiting = askPatiently(`${at}?wait=100000`);
    const output = askPatiently(`${at}/output?wait=100000`);
    gate.open();
    expect((await waiting).body).toMatchObject({ status: "completed", finishReason: "stop" });
    expect((await output).body).toMatchObject({ snapshotId, message: { role: "model" } });
    expect((await ask(`${at}?wait=200`)).body.status).toBe("completed");
    expect((await ask(`${at}?wait=soon`)).status).toBe(400);
    for (const path of ["s.none", "nonsense", "..%2F..", "__proto__"]) {
      expect((await ask(`/agents/slow/snapshots/${path}`)).status, path).toBe(404);
      expect((await ask(`/agents/slow/snapshots/${path}?wait=50`)).status, path).toBe(404);
      expect((await ask(`/agents/slow/snapshots/${path}/output?wait=50`)).status).toBe(404);
    }
  });

  it("are aborted while they are pending", async () => {
    const agent = slowAgent(
      { store: await open() },
      (__, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    );
    const { ask } = await served([agent]);
    const { snapshotId } = await agent.detach({
      message: { role: "user", content: [{ text: "go" }] },
    });
    const abort = () => ask(`/agents/slow/snapshots/${snapshotId}/abort`, { method: "POST" });
    expect((await abort()).body).toEqual({ status: "aborted", previousStatus: "pending" });
    expect((await abort()).body).toEqual({ status: "aborted", previousStatus: "aborted" });
  });

  it("are forked, and edited by operators only", async () => {
    const agent = echoAgent({ store: await open() });
    const { ask } = await served([agent], { auth: byToken });
    const as = "acme/ann";
    const { body } = await ask("/agents/echo", { as, body: turn("a", { sessionId: "s" }) });
    const fork = (body: unknown, who = as) => ask(at, { body, as: who });
    const at = `/agents/echo/snapshots/${body.result.snapshotId}/fork`;
    const forked = await fork({ sessionId: "t" });
    expect(forked.status).toBe(201);
    expect(forked.body).toMatchObject({ sessionId: "t", state: { messages: [{}, {}] } });
    expect((await fork({ sessionId: "t" })).status).toBe(409);
    expect((await fork({})).body.sessionId).toMatch(/^[0-9a-z]{26}$/);
    const state = { messages: [{ role: "model", content: [{ text: "forged" }] }] };
    expect((await fork({ state })).status).toBe(403);
    expect((await fork({ state: null })).status).toBe(403);
    const edited = await fork({ state }, `${as}/operator`);
    expect(edited.body.state.messages).toEqual(state.messages);
    for (const wrong of [{ sessionId: 7 }, { sessionId: "" }, []]) {
      expect((await fork(wrong)).status).toBe(400);
    }
    expect((await fork({ state: { messages: 7 } }, `${as}/operator`)).status).toBe(400);
    expect((await ask("/agents/echo/snapshots/s.none/fork", { as, body: {} })).status).toBe(404);
  });

  it("are compared", async () => {
    const agent = agentOf<{ count: number }>({ store: await open() }, ({ session }) => {
      session.updateCustom((custom) => ({ count: (custom?.count ?? 0) + 1 }));
    });
    const first = await agent.runText("a", { sessionId: "s" });
    const second = await agent.runText("b", { sessionId: "s" });
    const other = await agent.runText("c", { sessionId: "t" });
    const { ask } = await served([agent]);
    const diff = (to: string | undefined) =>
      ask(`/agents/actor/snapshots/${first.snapshotId}/diff${to === undefined ? "" : `?to=${to}`}`);
    expect((await diff(second.snapshotId)).body).toEqual(
      JSON.parse(JSON.stringify(await agent.diff(first.snapshotId!, second.snapshotId!))),
    );
    expect((await diff(undefined)).status).toBe(400);
    expect((await diff(other.snapshotId)).status).toBe(400);
    expect((await diff("s.none")).status).toBe(404);
  });
});
