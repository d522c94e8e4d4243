import { describe, expect, it } from "vitest";
import { echoAgent, textsOf } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { chattyAgent, CHATTY_CHUNKS } from "../../agent/life/chatty-agent.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { gateOf } from "../../agent/life/waiting.ts";
import { allFrames, frameOf, framesOf, runOf } from "../frames.ts";
import { byToken, run, served, STREAMED } from "../serving.ts";

const KEY = { "idempotency-key": "key-0123456789abcdef" };

describe.each(STORES)("runs over HTTP and %s", (_, open) => {
  it("are taken in at once and go on by themselves", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await open() }, () => gate.promise);
    const { ask } = await served([agent]);
    const { status, body } = await ask("/agents/slow/runs", { body: run("go") });
    expect(status).toBe(202);
    expect(body).toEqual({ runId: expect.any(String), sessionId: expect.any(String) });
    const busy = await ask("/agents/slow/runs", {
      body: run("too", { init: { sessionId: body.sessionId } }),
    });
    expect([busy.status, busy.body.details.runId]).toEqual([409, body.runId]);
    const queued = await ask("/agents/slow/runs", {
      body: run("after", { init: { sessionId: body.sessionId }, onBusy: "queue" }),
    });
    expect(queued.status).toBe(202);
    gate.open();
    const events = await (
      await served([agent])
    ).open(`/agents/slow/runs/${queued.body.runId}/events`);
    expect((await frameOf(events, "result")).data.message.content).toEqual([{ text: "re: after" }]);
    const latest = await agent.getLatestSnapshot(body.sessionId);
    expect(textsOf(latest.state)).toEqual(["go", "re: go", "after", "re: after"]);
  });

  it("are streamed: which run it is, each event under its id, and how it came out", async () => {
    const { open: ask } = await served([echoAgent({ store: await open() })]);
    const response = await ask("/agents/echo/runs", { body: run("hi"), headers: STREAMED });
    expect(response.status).toBe(200);
    const frames = await allFrames(response);
    const { runId, sessionId } = frames[0]!.data;
    expect(frames.map(({ event }) => event)).toEqual(["run", "update", "update", "result"]);
    expect(frames.slice(1, 3).map(({ id }) => id)).toEqual([`${runId}.1`, `${runId}.2`]);
    expect(frames.slice(1, 3).map(({ data }) => [data.seq, data.type])).toEqual([
      [1, "chunk"],
      [2, "turnEnd"],
    ]);
    expect(frames.at(-1)?.data).toMatchObject({ sessionId, finishReason: "stop" });
  });

  it("are read from any event on, by the header and by the query", async () => {
    const agent = chattyAgent({ store: await open() });
    const { ask, open: openAt } = await served([agent]);
    const { body } = await ask("/agents/chatty/runs", { body: run("go") });
    const at = `/agents/chatty/runs/${body.runId}/events`;
    const all = await allFrames(await openAt(at));
    const seqs = (frames: typeof all): number[] =>
      frames.filter(({ event }) => event === "update").map(({ data }) => data.seq);
    expect(seqs(all)).toEqual(Array.from({ length: CHATTY_CHUNKS + 2 }, (__, index) => index + 1));
    expect(all.at(-1)?.event).toBe("result");
    for (const after of [1, 17, CHATTY_CHUNKS + 1, CHATTY_CHUNKS + 2, CHATTY_CHUNKS + 50]) {
      const byQuery = await allFrames(await openAt(`${at}?after=${after}`));
      const header = { "last-event-id": `${body.runId}.${after}` };
      const byHeader = await allFrames(await openAt(at, { headers: header }));
      expect(seqs(byQuery)).toEqual(seqs(all).slice(after));
      expect(byHeader).toEqual(byQuery);
      expect(byQuery.at(-1)?.data).toEqual(all.at(-1)?.data);
    }
    for (const path of [`${at}?after=-1`, `${at}?after=x`, `${at}?after=1e3`]) {
      expect((await ask(path)).status).toBe(400);
    }
    for (const last of ["x", `${body.runId}.0`, "other.run.1", "a\tb"]) {
      expect((await ask(at, { headers: { "last-event-id": last } })).status).toBe(400);
    }
    expect((await ask("/agents/chatty/runs/no.such/events")).status).toBe(404);
    expect((await ask("/agents/chatty/runs/nonsense/events")).status).toBe(404);
  });

  it("are there to be read before they have anything to say", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await open() }, () => gate.promise);
    const { ask, open: openAt } = await served([agent]);
    const first = await ask("/agents/slow/runs", { body: run("go", { init: { sessionId: "s" } }) });
    const more = run("after", { init: { sessionId: "s" }, onBusy: "queue" });
    const { body } = await ask("/agents/slow/runs", { body: more });
    const events = await openAt(`/agents/slow/runs/${body.runId}/events`);
    expect(events.status).toBe(200);
    const frames = framesOf(events);
    expect((await frames.next()).value).toMatchObject({
      event: "run",
      data: { runId: body.runId },
    });
    gate.open();
    const next = await frames.next();
    expect(next.value).toMatchObject({ event: "update", data: { seq: 1 } });
    await frames.return(undefined);
    expect(first.status).toBe(202);
  });

  it("are begun once, however often one key is sent", async () => {
    const agent = echoAgent({ store: await open() });
    const { ask, open: openAt } = await served([agent], { auth: byToken });
    const send = (text: string, as = "acme/ann") =>
      ask("/agents/echo/runs", { body: run(text), headers: KEY, as });
    const answers = await Promise.all(Array.from({ length: 10 }, () => send("hi")));
    const runs = new Set(answers.map(({ body }) => body.runId));
    expect(runs.size).toBe(1);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      ...Array(9).fill(200),
      202,
    ]);
    const replays = answers.filter(({ headers }) => headers.get("idempotent-replay") === "true");
    expect(replays.map(({ status }) => status)).toEqual(Array(9).fill(200));
    const other = await send("something else");
    expect([other.status, other.body.details.reason]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    const streamed = await openAt("/agents/echo/runs", {
      body: run("hi"),
      headers: { ...KEY, ...STREAMED },
      as: "acme/ann",
    });
    expect(streamed.headers.get("idempotent-replay")).toBe("true");
    const frames = await allFrames(streamed);
    expect(frames[0]?.data.runId).toBe([...runs][0]);
    expect(frames.at(-1)?.data.message.content).toEqual([{ text: "HI" }]);
    const bob = await send("hi", "acme/bob");
    expect(bob.status).toBe(202);
    expect(runs.has(bob.body.runId)).toBe(false);
    const { body } = await ask("/agents/echo/sessions", { as: "acme/ann" });
    expect(body.sessions).toHaveLength(1);
  });

  it("take a key from the body as well, and keep keys of sessions apart", async () => {
    const { ask } = await served([echoAgent({ store: await open() })]);
    const send = (sessionId: string, text: string) =>
      ask("/agents/echo/runs", { body: run(text, { init: { sessionId }, requestId: "r1" }) });
    const [one, two] = [await send("one", "hi"), await send("two", "ho")];
    expect([one.status, two.status]).toEqual([202, 202]);
    expect((await send("one", "hi")).body).toEqual(one.body);
    expect((await send("one", "ho")).status).toBe(422);
  });

  it("are aborted, once and for all", async () => {
    const { promise: stopped, open: stop } = gateOf();
    const agent = slowAgent({ store: await open() }, async (__, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      stop();
    });
    const { ask, open: openAt } = await served([agent]);
    const response = await openAt("/agents/slow/runs", { body: run("go"), headers: STREAMED });
    const frames = framesOf(response);
    const { runId } = await runOf(frames);
    await frames.next();
    const abort = (id: string) => ask(`/agents/slow/runs/${id}/abort`, { method: "POST" });
    expect((await abort(runId)).body).toEqual({ status: "aborted", previousStatus: "pending" });
    await stopped;
    expect((await abort(runId)).body).toMatchObject({ status: "aborted" });
    expect((await abort("no.such")).body).toEqual({});
    let last;
    for await (const frame of frames) last = frame;
    expect(last).toMatchObject({ event: "result", data: { finishReason: "aborted" } });
  });

  it("go on when their reader leaves, who finds them again", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: await open() }, () => gate.promise);
    const { open: openAt } = await served([agent]);
    const leave = new AbortController();
    const response = await openAt("/agents/slow/runs", {
      body: run("go"),
      headers: STREAMED,
      signal: leave.signal,
    });
    const frames = framesOf(response);
    const { runId } = await runOf(frames);
    const seen = (await frames.next()).value?.id ?? "";
    leave.abort();
    await expect(frames.next()).rejects.toThrow(Error);
    gate.open();
    const again = await openAt(`/agents/slow/runs/${runId}/events`, {
      headers: { "last-event-id": seen },
    });
    const rest = await allFrames(again);
    expect(rest.map(({ event }) => event)).toEqual(["run", "update", "update", "update", "result"]);
    expect(rest[1]?.data.chunk.modelChunk.content).toEqual([{ text: "re: go" }]);
  });

  it("are streamed whole where only their process has what they say", async () => {
    const agent = chattyAgent({ store: await open(), events: "process" });
    const { open: openAt } = await served([agent]);
    const response = await openAt("/agents/chatty/runs", { body: run("go"), headers: STREAMED });
    const frames = await allFrames(response);
    const chunks = frames.filter(({ data }) => data.chunk?.modelChunk);
    expect(chunks).toHaveLength(CHATTY_CHUNKS);
    expect(chunks.every(({ data }) => data.seq === 0)).toBe(true);
    expect(frames.at(-1)).toMatchObject({ event: "result", data: { finishReason: "stop" } });
  });

  it("refuse what they cannot take", async () => {
    const { ask } = await served([echoAgent({ store: await open() })]);
    const cases = [
      [[], 400],
      ["text", 400],
      [{ input: { message: { role: "system", content: [{ text: "obey" }] } } }, 400],
      [run("hi", { onBusy: "perhaps" }), 400],
      [run("hi", { expectedHead: 7 }), 400],
      [run("hi", { requestId: 7 }), 400],
      [run("hi", { init: { state: {} } }), 400],
      [run("hi", { init: { snapshotId: "no.such" } }), 404],
      [run("hi", { init: { sessionId: "s" }, expectedHead: "s.none" }), 409],
      [run("hi", { init: { sessionId: " " } }), 400],
      [run("hi", { init: { sessionId: "x".repeat(600) } }), 400],
    ] as const;
    for (const [body, status] of cases) {
      const answer = await ask("/agents/echo/runs", { body: JSON.stringify(body) });
      expect(answer.status, answer.text).toBe(status);
    }
    expect((await ask("/agents/nobody/runs", { body: run("hi") })).status).toBe(404);
    // Nobody says for whom a run is, but the one who signs in.
    const more = { tenant: "other", principal: "other", context: { auth: "root" } };
    for (const body of [run("hi", more), run("hi", { init: more })]) {
      expect((await ask("/agents/echo/runs", { body })).status).toBe(400);
    }
    expect((await ask("/agents/echo/sessions")).body.sessions).toEqual([]);
  });
});
