import type { LocalAgent, SessionStore } from "turnkeep";
import { applyPatch } from "turnkeep/protocol";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import type { Answered } from "../http/serving.ts";
import { reflecting } from "./reflecting.ts";

type Count = { count: number };

/** Counts its turns, and answers with the number. */
function counting(store: SessionStore): LocalAgent<Count> {
  const state = z.object({ count: z.number() });
  const options = { name: "counter", store, state, initialState: { count: 0 } };
  return agentOf<Count>(options, ({ session, respond }, _, text) => {
    session.updateCustom((draft) => {
      draft.count += 1;
    });
    const { count = 0 } = session.custom() ?? {};
    if (text === "draw") respond.artifact({ name: `drawing ${count}`, parts: [{ text: "o" }] });
    if (text === "redraw") respond.artifact({ name: "drawing 1", parts: [{ text: "oo" }] });
    session.addMessages(model(`number ${count}`));
    return { finishReason: "stop", usage: { outputTokens: count } };
  });
}

async function talk(agent: LocalAgent<Count>, ...texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const { snapshotId = "" } = await agent.runText(text, { sessionId: "s" });
    ids.push(snapshotId);
  }
  return ids;
}

describe.each(STORES)("snapshots over %s", (_, open) => {
  test("are a tree without state, oldest first, page by page", async () => {
    const agent = counting(await open());
    const [first = "", second = ""] = await talk(agent, "one", "two", "three");
    const { snapshotId: branch } = await agent.runText("other", { snapshotId: first });
    await agent.label("s", { label: "good", snapshotId: second });
    await agent.label("s", { pin: first });
    const { ask } = reflecting([agent]);
    const { body } = await ask("agents/counter/sessions/s/snapshots?limit=3");
    expect(body).toMatchObject({ head: branch, total: 4 });
    expect(body.leaves).toHaveLength(2);
    expect(body.snapshots[1]).toMatchObject({
      snapshotId: second,
      parentId: first,
      event: "turn-end",
      turnIndex: 0,
      messageCount: 4,
      artifactCount: 0,
      usage: { outputTokens: 2 },
      labels: ["good"],
      isPinned: false,
    });
    expect(body.snapshots[0].isPinned).toBe(true);
    expect(JSON.stringify(body)).not.toContain("number 1");
    const next = await ask(
      `agents/counter/sessions/s/snapshots?continuationToken=${body.continuationToken}`,
    );
    expect(next.body.snapshots).toMatchObject([{ snapshotId: branch, parentId: first }]);
    expect(next.body).not.toHaveProperty("continuationToken");
    expect((await ask("agents/counter/sessions/none/snapshots")).status).toBe(404);
  });

  test("are read part by part, under a tag that says whether they changed", async () => {
    const agent = counting(await open());
    const [id = ""] = await talk(agent, "draw");
    const { ask } = reflecting([agent]);
    const path = `agents/counter/snapshots/${id}`;
    const custom = await ask(`${path}?part=custom`);
    expect(custom.body.state).toEqual({ sessionId: "s", custom: { count: 1 } });
    expect(custom.body).toMatchObject({ snapshotId: id, status: "completed", event: "turn-end" });
    const whole = await ask(path);
    expect(Object.keys(whole.body.state).toSorted()).toEqual([
      "artifacts",
      "custom",
      "messages",
      "sessionId",
    ]);
    const etag = whole.headers.get("etag") ?? "";
    expect(etag).not.toBe(custom.headers.get("etag"));
    const again = await ask(path, { headers: { "if-none-match": etag } });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await ask(`${path}?part=secrets`)).status).toBe(400);
    expect((await ask("agents/counter/snapshots/s.none")).status).toBe(404);
    expect((await ask(`agents/nobody/snapshots/${id}`)).status).toBe(404);
  });

  test("are compared, and the difference leads from one to the other", async () => {
    const agent = counting(await open());
    const [first = "", , third = ""] = await talk(agent, "draw", "draw", "redraw");
    const { ask } = reflecting([agent]);
    const { body } = await ask(`agents/counter/diff?from=${first}&to=${third}`);
    expect(applyPatch({ count: 1 }, body.custom)).toEqual({ count: 3 });
    expect(body.messages.common).toBe(2);
    expect(body.messages.added).toHaveLength(4);
    expect(body.artifacts).toMatchObject({
      added: [{ name: "drawing 2" }],
      removed: [],
      changed: [
        {
          name: "drawing 1",
          before: { parts: [{ text: "o" }] },
          after: { parts: [{ text: "oo" }] },
        },
      ],
    });
    expect((await ask(`agents/counter/diff?from=${first}`)).status).toBe(400);
    expect((await ask(`agents/counter/diff?from=${first}&to=s.none`)).status).toBe(404);
  });

  test("tell what became of an artifact, on their own branch", async () => {
    const agent = counting(await open());
    const [first = "", , third = "", fourth] = await talk(agent, "draw", "talk", "redraw", "talk");
    const { ask } = reflecting([agent]);
    const path = (id = ""): string => `agents/counter/snapshots/${id}/artifact-history`;
    const { body } = await ask(`${path(fourth)}?name=drawing%201`);
    expect(body).toMatchObject({
      name: "drawing 1",
      versions: [
        { snapshotId: third, index: 0 },
        { snapshotId: first, index: 0, bytes: 1 },
      ],
    });
    expect(body.versions).toHaveLength(2);
    expect(body).not.toHaveProperty("next");
    const { snapshotId: beside } = await agent.runText("draw", { snapshotId: first });
    const other = await ask(`${path(beside)}?name=drawing%201`);
    expect(other.body.versions).toMatchObject([{ snapshotId: first }]);
    const later = await ask(`${path(beside)}?name=drawing%202`);
    expect(later.body.versions).toMatchObject([{ snapshotId: beside, index: 1 }]);
    expect((await ask(`${path(fourth)}?name=nothing`)).body.versions).toEqual([]);
    expect((await ask(path(fourth))).status).toBe(400);
    expect((await ask(`${path("s.none")}?name=x`)).status).toBe(404);
  });

  test("show windows of their messages, long parts by reference", async () => {
    const agent = agentOf({ store: await open() }, ({ session }, _turn, text) => {
      session.addMessages(model(text === "long" ? "ü".repeat(40_000) : text));
    });
    for (const text of ["one", "long", "three"]) await agent.runText(text, { sessionId: "s" });
    const { ask, reflection } = reflecting([agent]);
    const path = "agents/actor/sessions/s/messages";
    const tail = await ask(`${path}?limit=2`);
    expect(tail.body).toMatchObject({ total: 6, offset: 4 });
    expect(tail.body.messages).toHaveLength(2);
    const { body } = await ask(`${path}?offset=3&limit=1`);
    const [part] = body.messages[0].content;
    expect(part).toMatchObject({ elided: true, kind: "text", bytes: 80_011 });
    const whole = await reflection(
      new Request(`http://localhost${part.ref}`, {
        headers: { authorization: `Bearer ${reflection.token}` },
      }),
    );
    const { text }: Answered = await whole.json();
    expect(text).toHaveLength(40_000);
    const { snapshotId } = (await ask("agents/actor/sessions/s/snapshots")).body.snapshots[0];
    const early = await ask(`${path}?snapshotId=${snapshotId}`);
    expect(early.body).toMatchObject({ total: 2, offset: 0, snapshotId });
    expect((await ask(`${path}?q=Three&limit=1`)).body).toMatchObject({ found: [4, 5] });
    // Also in what is too long to be shown, and not in what was said later.
    expect((await ask(`${path}?q=ü`)).body.found).toEqual([3]);
    expect((await ask(`${path}?q=three&snapshotId=${snapshotId}`)).body.found).toEqual([]);
    expect((await ask(`${path}?offset=x`)).status).toBe(400);
    expect((await ask(`agents/actor/snapshots/${snapshotId}/messages/9/parts/0`)).status).toBe(404);
    expect((await ask(`agents/actor/snapshots/${snapshotId}/messages/x/parts/0`)).status).toBe(400);
  });

  test("are aborted while they are written", async () => {
    const agent = agentOf({ store: await open() }, async (_tools, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const { snapshotId } = await agent.detach({
      message: { role: "user", content: [{ text: "hi" }] },
    });
    const { ask } = reflecting([agent]);
    const path = `agents/actor/snapshots/${snapshotId}`;
    expect((await ask(path)).body).toMatchObject({ status: "pending" });
    const { body } = await ask(`${path}/abort`, { body: { reason: "enough" } });
    expect(body).toEqual({ snapshotId, status: "aborted" });
    expect((await ask(path)).body).toMatchObject({ status: "aborted" });
    expect((await ask("agents/actor/snapshots/s.none/abort", { body: {} })).status).toBe(404);
  });

  test("keep what a turn was given, where its messages do not say", async () => {
    const agent = agentOf({ store: await open() }, ({ session }) => {
      session.addMessages(model("ok"));
    });
    await agent.runText("hi", { sessionId: "s" });
    const respond = [{ toolResponse: { name: "pay", ref: "1", output: true } }];
    const { snapshotId } = await agent.run({ resume: { respond } }, { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const { snapshots } = (await ask("agents/actor/sessions/s/snapshots")).body;
    expect(snapshots[0]).not.toHaveProperty("input");
    expect(snapshots[1].input).toEqual({ resume: { respond } });
    const { body } = await ask(`agents/actor/snapshots/${snapshotId}?part=custom`);
    expect(body.input).toEqual({ resume: { respond } });
  });

  test("say what waits for a person, with the schemas of the tools", async () => {
    const agent = agentOf(
      {
        store: await open(),
        describeTools: () => [
          { name: "pay", inputSchema: { type: "object" }, outputSchema: { type: "boolean" } },
        ],
      },
      ({ session }) => {
        session.addMessages({
          role: "model",
          content: [
            { text: "May I?" },
            {
              toolRequest: { name: "pay", ref: "1", input: { sum: 5 } },
              metadata: { interrupt: { ask: "Pay 5?" } },
            },
            { toolRequest: { name: "look", ref: "2" }, metadata: { pendingOutput: "seen" } },
          ],
        });
        return { finishReason: "interrupted" };
      },
    );
    const { snapshotId } = await agent.runText("hi");
    const { ask } = reflecting([agent]);
    const { body } = await ask(`agents/actor/snapshots/${snapshotId}/interrupts`);
    expect(body).toEqual([
      {
        ref: "1",
        name: "pay",
        input: { sum: 5 },
        interrupt: { ask: "Pay 5?" },
        inputSchema: { type: "object" },
        outputSchema: { type: "boolean" },
        canRestart: true,
        part: {
          toolRequest: { name: "pay", ref: "1", input: { sum: 5 } },
          metadata: { interrupt: { ask: "Pay 5?" } },
        },
      },
    ]);
  });
});

describe.each(STORES)("forks over %s", (_, open) => {
  const replace = (count: unknown) => [{ op: "replace", path: "/custom/count", value: count }];

  test("stay in the session as branches, and leave their source alone", async () => {
    const agent = counting(await open());
    const [first = "", second = ""] = await talk(agent, "one", "two");
    const before = await agent.getSnapshot(first);
    const { ask } = reflecting([agent]);
    const { status, body } = await ask(`agents/counter/snapshots/${first}/fork`, {
      body: { as: "branch", patch: replace(41), keepMessages: 1, label: "what if" },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ sessionId: "s", parentId: first });
    const edited = await agent.getSnapshot(body.snapshotId);
    expect(edited.state).toMatchObject({ custom: { count: 41 }, messages: [{ role: "user" }] });
    expect(edited.state?.messages).toHaveLength(1);
    expect(await agent.getSnapshot(first)).toEqual(before);
    // It is what the session goes on from.
    const { snapshotId = "" } = await agent.runText("next", { sessionId: "s" });
    expect((await agent.getSnapshot(snapshotId)).state?.custom).toEqual({ count: 42 });
    const { snapshots } = (await ask("agents/counter/sessions/s/snapshots")).body;
    expect(snapshots.map(({ event }: Answered) => event)).toEqual([
      "turn-end",
      "turn-end",
      "edit",
      "turn-end",
    ]);
    expect(snapshots[2]).toMatchObject({ parentId: first, labels: ["what if"] });
    expect(snapshots[1].snapshotId).toBe(second);
  });

  test("become sessions of their own that remember where they came from", async () => {
    const agent = counting(await open());
    const [first = ""] = await talk(agent, "one", "two");
    const { ask } = reflecting([agent]);
    const { body } = await ask(`agents/counter/snapshots/${first}/fork`, {
      body: { as: "session" },
    });
    expect(body.sessionId).not.toBe("s");
    const session = (await ask(`agents/counter/sessions/${body.sessionId}`)).body;
    expect(session.metadata.forkedFrom).toEqual({ sessionId: "s", snapshotId: first });
    expect(session).toMatchObject({ custom: { count: 1 }, snapshotCount: 1 });
    const taken = await ask(`agents/counter/snapshots/${first}/fork`, {
      body: { as: "session", sessionId: "s" },
    });
    expect(taken.status).toBe(409);
  });

  test("are refused for what does not fit, before anything is written", async () => {
    const agent = counting(await open());
    const [first = ""] = await talk(agent, "one");
    const { ask } = reflecting([agent]);
    const fork = (body: object) => ask(`agents/counter/snapshots/${first}/fork`, { body });
    const misfit = await fork({ patch: replace("many") });
    expect(misfit.status).toBe(400);
    expect(misfit.body.error.details.paths).toEqual(["/count"]);
    for (const body of [
      { patch: [{ op: "replace", path: "/custom/none/x", value: 1 }] },
      { patch: "no list" },
      { patch: [{ op: "add", path: "/messages/-", value: { role: "nobody", content: [] } }] },
      { as: "tree" },
      { keepMessages: -1 },
      { as: "branch", sessionId: "mine" },
    ]) {
      expect((await fork(body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await ask("agents/counter/sessions/s/snapshots")).body.total).toBe(1);
  });

  test("wait for turns, and are not made of turns that did not complete", async () => {
    let fail = false;
    let begun = (): void => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    const agent = agentOf({ store: await open() }, async (_tools, _turn, text) => {
      if (fail) throw new Error("told to");
      if (text !== "slow") return;
      begun();
      await gone;
    });
    const { snapshotId: first } = await agent.runText("one", { sessionId: "s" });
    const running = agent.runText("slow", { sessionId: "s" });
    await hasBegun;
    const { ask } = reflecting([agent]);
    const busy = await ask(`agents/actor/snapshots/${first}/fork`, { body: { as: "branch" } });
    expect(busy.status).toBe(409);
    expect(busy.body.error.details).toMatchObject({ reason: "SESSION_BUSY", retryable: true });
    go();
    await running;
    fail = true;
    const { snapshotId: failed } = await agent.runText("two", { sessionId: "s" });
    const refused = await ask(`agents/actor/snapshots/${failed}/fork`, { body: {} });
    expect(refused.body.error.status).toBe("FAILED_PRECONDITION");
    expect((await ask("agents/actor/snapshots/s.none/fork", { body: {} })).status).toBe(404);
  });
});

test("a long history of an artifact is told piece by piece, and no version twice", async () => {
  const agent = counting(new MemoryStore());
  const made = Array.from({ length: 120 }, () => "draw");
  const ids = await talk(agent, "draw", "redraw", ...made);
  const { ask } = reflecting([agent]);
  const versions: Answered[] = [];
  let next: string | undefined = ids.at(-1);
  let pages = 0;
  for (; next !== undefined; pages += 1) {
    const path: string = `agents/counter/snapshots/${next}/artifact-history?name=drawing%201`;
    const { body }: { body: Answered } = await ask(path);
    versions.push(...body.versions);
    next = body.next;
  }
  expect(pages).toBe(2);
  expect(versions.map(({ snapshotId }) => snapshotId)).toEqual([ids[1], ids[0]]);
});
