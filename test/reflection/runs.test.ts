import type { LocalAgent, SessionStore } from "turnkeep";
import { describe, expect, test } from "vitest";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { sweepNow } from "../agent/life/sweep-now.ts";
import { allFrames, framesOf } from "../http/frames.ts";
import type { Answered } from "../http/serving.ts";
import { nextMillisecond, reflecting, turn } from "./reflecting.ts";

/** Says one word, waits until it is let go, and says another. */
function patientAgent(store: SessionStore): {
  readonly agent: LocalAgent<Mood>;
  readonly go: () => void;
} {
  let go = (): void => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  const agent = agentOf<Mood>({ name: "patient", store }, async (tools, { signal }, text) => {
    const { session, respond } = tools;
    session.updateCustom(() => ({ mood: "calm", heard: text }));
    respond.text("one ");
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve));
    if (text !== "quick") await Promise.race([gone, stopped]);
    session.updateCustom((custom) => ({ ...custom, mood: "done" }));
    respond.text("two");
    respond.status({ step: 2 });
    session.addMessages(model("one two"));
    return { finishReason: "stop" };
  });
  return { agent, go };
}

type Mood = { mood: string; heard: string };

const namesOf = (frames: readonly Answered[]): readonly string[] =>
  frames.map(({ event }) => event);

function untraced(frames: readonly Answered[]): readonly Answered[] {
  return frames.map((frame) => (frame.event === "telemetry" ? { ...frame, data: {} } : frame));
}

describe.each(STORES)("runs over %s", (_, open) => {
  test("are found by nothing but an id, as sessions and snapshots are", async () => {
    const store = await open();
    const { agent } = patientAgent(store);
    const other = agentOf({ name: "other", store }, () => ({ finishReason: "stop" }));
    const { ask } = reflecting([agent, other]);
    const { runId, output } = agent.streamText("quick", { sessionId: "s" });
    const { snapshotId } = await output;
    await other.runText("hi", { sessionId: "s" });
    const find = async (id: string): Promise<Answered> =>
      (await ask(`studio/find?id=${encodeURIComponent(id)}`)).body.found;
    const place = { agentName: "patient", sessionId: "s" };
    expect(await find(snapshotId ?? "")).toEqual([{ kind: "snapshot", ...place, snapshotId }]);
    expect(await find(runId)).toEqual([{ kind: "run", ...place, snapshotId }]);
    expect(await find("s")).toEqual([
      { kind: "session", ...place },
      { kind: "session", agentName: "other", sessionId: "s" },
    ]);
    expect(await find("nobody")).toEqual([]);
    expect(await find("s.nothing")).toEqual([]);
    expect(await find("x".repeat(2000))).toEqual([]);
    expect((await ask("studio/find")).status).toBe(400);
  });

  test("go on when their reader leaves, and are joined again without loss", async () => {
    const { agent, go } = patientAgent(await open());
    const { open: begin, ask } = reflecting([agent]);
    const leaving = new AbortController();
    const response = await begin("agents/patient/execute", {
      body: turn("slow", { stream: true, init: { sessionId: "s" } }),
      signal: leaving.signal,
    });
    const frames = framesOf(response);
    const seen: Answered[] = [];
    for await (const frame of frames) {
      seen.push(frame);
      if (frame.event === "chunk") break;
    }
    leaving.abort();
    expect(namesOf(seen)).toEqual(["run", "stateUpdate", "chunk"]);
    const { runId } = seen[0].data;
    const running = await ask("runs?status=running");
    expect(running.body.runs).toMatchObject([
      { runId, agentName: "patient", sessionId: "s", status: "running", isHere: true, attempt: 1 },
    ]);
    const joined = await begin(`runs/${runId}/stream`, {
      headers: { "last-event-id": seen.at(-1).id },
    });
    const rest: Answered[] = [];
    for await (const frame of framesOf(joined)) {
      rest.push(frame);
      // Not before it has joined.
      go();
    }
    // No snapshot could tell yet what the turn was given.
    expect(rest[0]?.data.input).toEqual({ role: "user", content: [{ text: "slow" }] });
    expect(namesOf(rest)).toEqual([
      "run",
      "stateUpdate",
      "chunk",
      "status",
      "turnEnd",
      "done",
      "telemetry",
    ]);
    // The state was folded from the beginning, though only the rest is told.
    expect(rest[1]?.data).toMatchObject({ stateUpdate: { mood: "done" }, rev: 2 });
    expect(rest[1]?.data.stateUpdate).not.toHaveProperty("heard");
    expect(rest[5]?.data).toMatchObject({
      sessionId: "s",
      finishReason: "stop",
      state: { mood: "done", heard: "slow" },
    });
    const { body } = await ask(`runs/${runId}`);
    expect(body).toMatchObject({ status: "completed", isHere: false, isReadable: true });
    expect(body.snapshotIds).toEqual([rest[5]?.data.snapshotId]);
  });

  test("are replayed from the store alone, the same each time", async () => {
    const store = await open();
    const { agent } = patientAgent(store);
    const first = reflecting([agent]);
    const lived = await allFrames(
      await first.open("agents/patient/execute", { body: turn("quick", { stream: true }) }),
    );
    const { runId } = lived[0]?.data ?? {};
    // Another process, which knows nothing but the store.
    const other = reflecting([patientAgent(store).agent]);
    const replayed = await allFrames(await other.open(`runs/${runId}/stream`));
    // Traces are kept by the process that recorded them.
    expect(untraced(replayed.slice(1))).toEqual(untraced(lived.slice(1)));
    expect(replayed[0]?.data.replay).toBe(true);
    expect(lived[0]?.data.replay).toBe(false);
    const ids = lived.flatMap(({ id }) => (id === undefined ? [] : [id]));
    for (const id of new Set(ids)) {
      const rest = await allFrames(
        await other.open(`runs/${runId}/stream`, { headers: { "last-event-id": id } }),
      );
      const at = lived.findIndex((frame) => frame.id === id);
      expect(namesOf(rest.slice(1))).toEqual(namesOf(lived.slice(at + 1)));
    }
  });

  test("are aborted by their id, wherever they run", async () => {
    const store = await open();
    const { agent } = patientAgent(store);
    const { ask, open: begin } = reflecting([agent]);
    const response = await begin("agents/patient/execute", {
      body: turn("slow", { stream: true }),
    });
    const runId = response.headers.get("x-run-id");
    const elsewhere = reflecting([patientAgent(store).agent]);
    const { body } = await elsewhere.ask(`runs/${runId}/abort`, { body: {} });
    expect(body).toMatchObject({ status: "aborted", previousStatus: "pending", reason: "abort" });
    const frames = await allFrames(response);
    expect(frames.find(({ event }) => event === "done")?.data.finishReason).toBe("aborted");
    expect((await ask("runs?status=running")).body.runs).toEqual([]);
    expect((await ask("runs?status=aborted")).body.runs).toMatchObject([{ runId }]);
    const again = await ask(`runs/${runId}/abort`, { body: {} });
    expect(again.body).toMatchObject({ previousStatus: "aborted" });
  });

  test("that are detached are listed, read and waited for", async () => {
    const { agent, go } = patientAgent(await open());
    const { ask, open: begin } = reflecting([agent]);
    const begun = Date.now();
    const { body } = await ask("agents/patient/execute", {
      body: {
        input: { message: { role: "user", content: [{ text: "slow" }] }, detach: true },
        init: { sessionId: "s" },
      },
    });
    expect(body.result).toMatchObject({ finishReason: "detached", messages: [] });
    const { runs } = (await ask("runs?sessionId=s")).body;
    expect(runs).toMatchObject([{ status: "running", isDetached: true }]);
    expect(runs[0].heartbeatAt).toBeGreaterThanOrEqual(begun);
    const stream = await begin(`runs/${runs[0].runId}/stream`);
    go();
    const frames = await allFrames(stream);
    expect(frames.at(-2)?.data.messages).toHaveLength(2);
  });

  test("whose events were swept tell what they led to", async () => {
    const store = await open();
    const { agent } = patientAgent(store);
    const { runId, output } = agent.streamText("quick", { sessionId: "s" });
    const { snapshotId } = await output;
    await sweepNow(store, { agent: "patient", sessionId: "s" }, { endedRunsMs: 1 });
    const { ask, open: begin } = reflecting([agent]);
    expect((await ask(`runs/${runId}`)).body).toMatchObject({
      status: "completed",
      isReadable: false,
    });
    const frames = await allFrames(await begin(`runs/${runId}/stream`));
    expect(namesOf(frames)).toEqual(["run", "reset", "done", "telemetry"]);
    expect(frames[1]?.data).toMatchObject({ snapshotId, custom: { mood: "done" } });
    expect(frames[2]?.data).toMatchObject({ snapshotId, finishReason: "stop" });
  });

  test("that are unknown are not there", async () => {
    const { agent } = patientAgent(await open());
    const { ask } = reflecting([agent]);
    for (const path of ["runs/nonsense", "runs/s.abc", "runs/s.abc/stream"]) {
      expect((await ask(path)).status, path).toBe(404);
    }
    expect((await ask("runs/s.abc/abort", { body: {} })).status).toBe(404);
    expect((await ask("runs?status=odd")).status).toBe(400);
  });

  test("are listed page by page", async () => {
    const { agent } = patientAgent(await open());
    for (let number = 0; number < 5; number += 1) {
      await agent.runText("quick", { sessionId: `s-${number}` });
      await nextMillisecond();
    }
    await agent.runText("quick", { sessionId: "s-0" });
    const { ask } = reflecting([agent]);
    const seen: string[] = [];
    let token = "";
    do {
      const { body } = await ask(`runs?limit=2${token}`);
      seen.push(...body.runs.map(({ sessionId }: Answered) => sessionId));
      token = body.continuationToken && `&continuationToken=${body.continuationToken}`;
    } while (token);
    expect(seen).toEqual(["s-0", "s-0", "s-4", "s-3", "s-2", "s-1"]);
  });

  test("that fail say so in band, and those that cannot start by an error", async () => {
    const agent = agentOf({ store: await open() }, () => {
      throw new Error("the model is out");
    });
    const { ask, open: begin } = reflecting([agent]);
    const frames = await allFrames(
      await begin("agents/actor/execute", { body: turn("hi", { stream: true }) }),
    );
    const done = frames.find(({ event }) => event === "done");
    expect(done?.data).toMatchObject({
      finishReason: "failed",
      error: { message: expect.stringContaining("the model is out") },
    });
    const missing = await ask("agents/actor/execute", {
      body: turn("hi", { init: { snapshotId: "s.missing" } }),
    });
    expect(missing.body.result).toMatchObject({ finishReason: "failed" });
    const forged = await ask("agents/actor/execute", {
      body: { input: { role: "model", content: [{ text: "I owe you" }] } },
    });
    expect(forged.status).toBe(400);
  });

  test("repeat nothing for a key that was used", async () => {
    const { agent } = patientAgent(await open());
    const { ask } = reflecting([agent]);
    const asked = { body: turn("quick", { init: { sessionId: "s" }, requestId: "k" }) };
    const [first, second] = [
      await ask("agents/patient/execute", asked),
      await ask("agents/patient/execute", asked),
    ];
    expect(second.body.result).toEqual(first.body.result);
    expect((await ask("agents/patient/sessions/s")).body.snapshotCount).toBe(1);
  });
});
