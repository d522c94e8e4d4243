import type { LocalAgent, SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import type { Answered } from "../http/serving.ts";
import { nextMillisecond, reflecting, type Reflected, turn } from "./reflecting.ts";

const idsOf = ({ sessions }: Answered): readonly string[] =>
  sessions.map(({ sessionId }: Answered) => sessionId);

/** Every page of a list, and how many there were. */
async function allPages(
  ask: Reflected["ask"],
  path: string,
): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
  const ids: string[] = [];
  let token = "";
  for (let pages = 1; ; pages += 1) {
    const { status, body, text } = await ask(`${path}${token}`);
    expect(status, text).toBe(200);
    ids.push(...idsOf(body));
    if (body.continuationToken === undefined) return { ids, pages };
    token = `&continuationToken=${body.continuationToken}`;
  }
}

/** Fails, waits for a person, or just answers, as it is told. */
function moodyAgent(store: SessionStore, name = "moody"): LocalAgent {
  return agentOf({ name, store }, ({ session, respond }, _, text) => {
    if (text === "fail") throw new Error("told to");
    if (text === "draw") respond.artifact({ name: "drawing", parts: [{ text: "o" }] });
    if (text !== "ask") session.addMessages(model(text.toUpperCase()));
    return { finishReason: text === "ask" ? "interrupted" : "stop", usage: { inputTokens: 2 } };
  });
}

describe.each(STORES)("sessions over %s", (_, open) => {
  test("are paged without loss, whatever the limit", async () => {
    const agent = echoAgent({ store: await open() });
    const expected: string[] = [];
    for (let number = 0; number < 7; number += 1) {
      await agent.runText("hi", { sessionId: `s-${number}` });
      expected.unshift(`s-${number}`);
    }
    const { ask } = reflecting([agent]);
    for (const limit of [1, 2, 3, 7, 50]) {
      const { ids, pages } = await allPages(ask, `agents/echo/sessions?limit=${limit}`);
      expect(ids).toEqual(expected);
      expect(pages).toBeGreaterThanOrEqual(Math.ceil(7 / limit));
    }
  });

  test("are found by what was said in them, when that is asked for", async () => {
    const agent = moodyAgent(await open());
    await agent.runText("the lighthouse", { sessionId: "one" });
    await agent.runText("the harbour", { sessionId: "two" });
    await agent.label("two", { about: { title: "A walk" } });
    const { ask } = reflecting([agent]);
    const find = async (query: string): Promise<readonly string[]> =>
      idsOf((await ask(`agents/moody/sessions?${query}`)).body);
    expect(await find("q=lighthouse")).toEqual([]);
    expect(await find("q=LightHouse&in=messages")).toEqual(["one"]);
    expect(await find("q=walk%20harbour&in=messages")).toEqual(["two"]);
    expect(await find("q=lighthouse%20harbour&in=messages")).toEqual([]);
    expect(await find("q=harbour&in=messages&status=failed")).toEqual([]);
    expect((await ask("agents/moody/sessions?q=x&in=thoughts")).status).toBe(400);
  });

  test("of several agents are one list, last updated first", async () => {
    const store = await open();
    const [first, second] = [echoAgent({ name: "one", store }), echoAgent({ name: "two", store })];
    for (const agent of [first, second, first, second, second]) {
      await agent.runText("hi");
      await nextMillisecond();
    }
    const { ask } = reflecting([first, second, echoAgent({ name: "forgetful" })]);
    const { ids } = await allPages(ask, "sessions?limit=2");
    expect(new Set(ids).size).toBe(5);
    const { body } = await ask("sessions");
    expect(body.sessions.map(({ agentName }: Answered) => agentName)).toEqual(
      ["one", "two", "one", "two", "two"].toReversed(),
    );
    expect(idsOf((await ask("sessions?agent=one")).body)).toHaveLength(2);
  });

  test("are found by status, words, tags, artifacts and time", async () => {
    const store = await open();
    const agent = moodyAgent(store);
    for (const text of ["plain", "fail", "ask", "draw"]) {
      await agent.runText(text, { sessionId: `session-${text}` });
      await nextMillisecond();
    }
    await agent.label("session-plain", { about: { title: "A Quiet Talk", tags: ["calm"] } });
    const { ask } = reflecting([agent]);
    const find = async (query: string): Promise<readonly string[]> =>
      idsOf((await ask(`agents/moody/sessions?${query}`)).body).map((id) => id.slice(8));
    expect(await find("status=active")).toEqual(["ask"]);
    expect(await find("status=interrupted")).toEqual(["ask"]);
    expect(await find("status=completed")).toEqual(["draw", "fail", "plain"]);
    expect(await find("status=failed")).toEqual(["fail"]);
    expect(await find("status=pending")).toEqual([]);
    expect(await find("hasArtifacts=true")).toEqual(["draw"]);
    expect(await find("q=quiet%20TALK")).toEqual(["plain"]);
    expect(await find("q=session-f")).toEqual(["fail"]);
    expect(await find("tag=calm")).toEqual(["plain"]);
    expect(await find(`from=${Date.now() + 3_600_000}`)).toEqual([]);
    expect(await find("to=2001-01-01T00:00:00Z")).toEqual([]);
    for (const query of ["status=odd", "limit=0", "limit=x", "from=x", "hasArtifacts=1"]) {
      expect((await ask(`agents/moody/sessions?${query}`)).status, query).toBe(400);
    }
    for (const query of ["sort=createdAt", "sort=title", "order=asc"]) {
      for (const path of ["agents/moody/sessions", "sessions"]) {
        const { status, body } = await ask(`${path}?${query}`);
        expect([status, body.error.status], query).toEqual([501, "UNIMPLEMENTED"]);
        expect(body.error.message).toContain("last updated first, and in no other order");
      }
    }
    expect(await find("sort=updatedAt&order=desc")).toHaveLength((await find("")).length);
  });

  test("have tokens that are good for their own query alone", async () => {
    const agent = echoAgent({ store: await open() });
    for (const sessionId of ["a", "b", "c"]) await agent.runText("hi", { sessionId });
    const { ask } = reflecting([agent]);
    const { body } = await ask("agents/echo/sessions?limit=1");
    const other = await ask(`agents/echo/sessions?q=a&continuationToken=${body.continuationToken}`);
    expect(other.status).toBe(400);
    expect((await ask("agents/echo/sessions?continuationToken=nonsense")).status).toBe(400);
  });

  test("are told with as many messages as are wanted", async () => {
    const agent = moodyAgent(await open());
    for (const text of ["one", "two"]) await agent.runText(text, { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const count = async (query: string): Promise<number> =>
      (await ask(`agents/moody/sessions/s${query}`)).body.messages.length;
    expect(await count("")).toBe(4);
    expect(await count("?messages=none")).toBe(0);
    expect(await count("?messages=tail:3")).toBe(3);
    const { body } = await ask("agents/moody/sessions/s?messages=none");
    expect(body).toMatchObject({ messageCount: 4, snapshotCount: 2, usage: { inputTokens: 4 } });
    expect(body.head).toMatchObject({ status: "completed", finishReason: "stop" });
    expect((await ask("agents/moody/sessions/s?messages=some")).status).toBe(400);
    expect((await ask("agents/moody/sessions/gone")).status).toBe(404);
  });

  test("are named and tagged, and keep what is not mentioned", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("hi", { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const patch = (body: object) => ask("agents/echo/sessions/s", { method: "PATCH", body });
    expect((await patch({ title: "First" })).body).toMatchObject({ title: "First", tags: [] });
    expect((await patch({ tags: ["a", "b"] })).body).toMatchObject({
      title: "First",
      tags: ["a", "b"],
    });
    // Going on with the talk leaves them as they are.
    await agent.runText("again", { sessionId: "s" });
    const { body } = await patch({ title: null });
    expect(body.tags).toEqual(["a", "b"]);
    expect(body).not.toHaveProperty("title");
    for (const wrong of [
      { title: "x".repeat(201) },
      { tags: "a" },
      { tags: [""] },
      { owner: "me" },
    ]) {
      expect((await patch(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
    const gone = await ask("agents/echo/sessions/gone", { method: "PATCH", body: { title: "x" } });
    expect(gone.status).toBe(404);
  });

  test("are deleted several at a time, and each is answered for", async () => {
    const agent = echoAgent({ store: await open() });
    for (const sessionId of ["a", "b", "c"]) await agent.runText("hi", { sessionId });
    const { ask } = reflecting([agent]);
    const { body } = await ask("agents/echo/sessions:batchDelete", {
      body: { ids: ["a", "gone", "c"] },
    });
    expect(body.results).toMatchObject([
      { sessionId: "a", success: true },
      { sessionId: "gone", success: false, error: { status: "NOT_FOUND" } },
      { sessionId: "c", success: true },
    ]);
    expect(idsOf((await ask("sessions")).body)).toEqual(["b"]);
    const path = "agents/echo/sessions:batchDelete";
    expect((await ask(path, { body: { ids: "a" } })).status).toBe(400);
  });

  test("carry metadata from the first turn on, are patched and found by it", async () => {
    const agent = echoAgent({ store: await open() });
    const { ask } = reflecting([agent]);
    for (const [sessionId, userId] of [
      ["a", "user_xyz"],
      ["b", "user_abc"],
    ]) {
      const init = { sessionId, metadata: { userId } };
      await ask("agents/echo/execute", { body: turn("hi", { init }) });
    }
    const find = async (metadata: object): Promise<readonly string[]> => {
      const query = new URLSearchParams({ metadata: JSON.stringify(metadata) });
      return idsOf((await ask(`agents/echo/sessions?${query}`)).body);
    };
    expect(await find({ userId: "user_xyz" })).toEqual(["a"]);
    expect((await ask("agents/echo/sessions/a")).body.metadata).toEqual({ userId: "user_xyz" });
    const patched = await ask("agents/echo/sessions/b", {
      method: "PATCH",
      body: { metadata: { userId: null, team: "x" } },
    });
    expect(patched.body.metadata).toEqual({ team: "x" });
    expect(await find({ team: "x" })).toEqual(["b"]);
    expect(await find({ userId: "user_abc" })).toEqual([]);
    for (const query of ["metadata=x", "metadata=1"]) {
      expect((await ask(`agents/echo/sessions?${query}`)).status, query).toBe(400);
    }
  });

  test("are deleted with those of sub-agents, which the answer names", async () => {
    const store = await open();
    const helper = echoAgent({ name: "helper", store });
    const agent = agentOf({ store }, async ({ session }, turn) => {
      const sessionId = `${session.sessionId}:helper`;
      await turn.linkSession({ agent: "helper", sessionId });
      await helper.runText("hi", { sessionId });
    });
    for (const sessionId of ["a", "b"]) await agent.runText("go", { sessionId });
    const { ask } = reflecting([agent, helper]);
    const linked = (id: string): object => ({ agent: "helper", sessionId: `${id}:helper` });
    expect((await ask("agents/actor/sessions/a", { method: "DELETE" })).body).toEqual({
      success: true,
      sessionId: "a",
      linked: [linked("a")],
    });
    const path = "agents/actor/sessions:batchDelete";
    expect((await ask(path, { body: { ids: ["b"] } })).body.results).toEqual([
      { sessionId: "b", success: true, linked: [linked("b")] },
    ]);
    expect(idsOf((await ask("sessions")).body)).toEqual([]);
  });

  test("that are busy are deleted only when told to abort", async () => {
    let stopped = (): void => {};
    const hasStopped = new Promise<void>((resolve) => (stopped = resolve));
    let begun = (): void => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const agent = agentOf({ store: await open() }, async (_tools, { signal }) => {
      begun();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      stopped();
    });
    const running = agent.runText("hi", { sessionId: "s" });
    await hasBegun;
    const { ask } = reflecting([agent]);
    const path = "agents/actor/sessions/s";
    const refused = await ask(path, { method: "DELETE" });
    expect(refused.status).toBe(409);
    expect((await ask(path)).body).toMatchObject({
      status: "active",
      isBusy: true,
      threads: { main: [] },
    });
    expect((await ask(`${path}?abort=1`, { method: "DELETE" })).body).toEqual({
      success: true,
      sessionId: "s",
    });
    await hasStopped;
    expect((await running).finishReason).toBe("aborted");
    expect((await ask(path)).status).toBe(404);
  });
});

test("a scan stops after a thousand sessions, and goes on from there", async () => {
  const agent = echoAgent({ store: new MemoryStore() });
  for (let number = 0; number < 1010; number += 1) {
    await agent.runText("hi", { sessionId: `s-${number}` });
  }
  const { ask } = reflecting([agent]);
  const { body } = await ask("agents/echo/sessions?q=s-5&limit=200");
  expect(body.scanned).toBe(1000);
  const { ids, pages } = await allPages(ask, "agents/echo/sessions?q=s-5&limit=200");
  expect(ids).toHaveLength(111);
  expect(pages).toBe(2);
});

test("what was said is searched piece by piece, and all of it", async () => {
  const agent = moodyAgent(new MemoryStore());
  await agent.runText("needle", { sessionId: "s-first" });
  for (let number = 0; number < 120; number += 1) {
    await agent.runText("hay", { sessionId: `s-${number}` });
  }
  const { ask } = reflecting([agent]);
  const first = (await ask("agents/moody/sessions?q=needle&in=messages")).body;
  expect([idsOf(first), first.scanned]).toEqual([[], 50]);
  const { ids, pages } = await allPages(ask, "agents/moody/sessions?q=needle&in=messages");
  expect([ids, pages]).toEqual([["s-first"], 3]);
});
