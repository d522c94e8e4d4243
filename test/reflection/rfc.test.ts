import type { SessionStore } from "turnkeep";
import { describe, expect, test } from "vitest";
import { STORES } from "../agent/authoring/stores.ts";
import { allFrames } from "../http/frames.ts";
import { reflecting, turn } from "./reflecting.ts";
import { GREETING, rfcAgents } from "./rfc-agents.ts";
import {
  ANSWER,
  DELETED,
  differences,
  EVENTS,
  GARDENER,
  LIBRARIAN,
  SCHEMAS,
  SESSION,
  SESSIONS,
  TURN,
} from "./rfc-examples.ts";

async function stageOver(store: SessionStore) {
  const { gardener, librarian } = rfcAgents(store);
  return { ...reflecting([gardener, librarian]), librarian };
}

describe.each(STORES)("the endpoints of the RFC over %s", (_, open) => {
  const stage = async () => await stageOver(await open());
  const { sessionId } = SESSION;

  test("A: lists agents with their metadata", async () => {
    const { ask } = await stage();
    const { status, body } = await ask("agents");
    expect(status).toBe(200);
    const example = { agents: { gardener: GARDENER, librarian: LIBRARIAN } };
    expect(differences(example, body)).toEqual([]);
    expect(body.agents.gardener).toMatchObject(GARDENER);
    expect(body.agents.gardener).not.toHaveProperty("storeType");
    const { name, description } = LIBRARIAN;
    expect(body.agents.librarian).toMatchObject({ name, description, hasStore: true });
  });

  test("B: describes an agent with its four schemas", async () => {
    const { ask } = await stage();
    const { body } = await ask("agents/gardener");
    expect(body).toMatchObject(GARDENER);
    for (const [name, properties] of Object.entries(SCHEMAS)) {
      expect(body[name].type, name).toBe("object");
      for (const [property, type] of Object.entries(properties)) {
        expect(body[name].properties, name).toHaveProperty(property);
        if (type !== "any") expect(body[name].properties[property].type, property).toBe(type);
      }
    }
  });

  test("C: lists sessions, page by page", async () => {
    const { ask, librarian } = await stage();
    await librarian.runText(GREETING, { sessionId });
    await librarian.runText(GREETING, { sessionId: "shelf-8" });
    const { body } = await ask("agents/librarian/sessions?limit=1");
    expect(differences(SESSIONS, body)).toEqual([]);
    const next = await ask(
      `agents/librarian/sessions?limit=1&continuationToken=${body.continuationToken}`,
    );
    const listed = [...body.sessions, ...next.body.sessions];
    expect(listed.map((session) => session.sessionId)).toEqual(["shelf-8", sessionId]);
    const { agentName, status, messageCount, hasArtifacts } = SESSIONS.sessions[0];
    expect(listed[1]).toMatchObject({ agentName, status, messageCount, hasArtifacts });
    expect((await ask("agents/librarian/sessions?status=active")).body.sessions).toEqual([]);
  });

  test("D: shows a session with its threads and state", async () => {
    const { ask, librarian } = await stage();
    await librarian.runText(GREETING, { sessionId });
    const { body } = await ask(`agents/librarian/sessions/${sessionId}`);
    expect(differences(SESSION, body)).toEqual([]);
    const { state, threads, status } = SESSION;
    expect(body).toMatchObject({ sessionId, agentName: "librarian", status });
    expect(body.threads).toEqual(threads);
    expect(body.state).toEqual(state);
    // The same without loss.
    const { artifacts, ...custom } = state;
    expect(body).toMatchObject({ messages: threads.main, custom, artifacts });
  });

  test("E: starts and continues a conversation", async () => {
    const { ask } = await stage();
    const body = { ...TURN, init: { sessionId }, stream: false };
    const first = await ask("agents/librarian/execute", { body });
    expect(first.status).toBe(200);
    expect(differences(ANSWER, first.body)).toEqual([]);
    expect(first.body.result).toMatchObject({ sessionId, finishReason: "stop" });
    expect(first.body.result.messages).toHaveLength(2);
    expect(first.headers.get("x-run-id")).toMatch(/^shelf-7\./);
    const again = await ask("agents/librarian/execute", { body });
    expect(again.body.result.messages).toHaveLength(4);
    expect(again.body.telemetry.traceId).not.toBe(first.body.telemetry.traceId);
  });

  test("E: takes the RFC's body as it stands, with members that say nothing", async () => {
    const { ask } = await stage();
    const { status, body } = await ask("agents/librarian/execute", {
      body: { ...TURN, stream: false },
    });
    expect([status, body.result?.sessionId]).toEqual([200, sessionId]);
  });

  test("E: streams a conversation as named events", async () => {
    const { open: openStream } = await stage();
    const response = await openStream("agents/librarian/execute", { body: TURN });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const frames = await allFrames(response);
    const named = frames.filter(({ event }) => EVENTS.some((one) => one.event === event));
    expect(named.map(({ event }) => event)).toEqual(EVENTS.map(({ event }) => event));
    for (const [index, { event, data }] of EVENTS.entries()) {
      expect(differences(data, named[index]?.data), event).toEqual([]);
    }
    const said = EVENTS.slice(0, 4).map(({ data }) => data);
    expect(named.slice(0, 4).map(({ data }) => data)).toMatchObject(said);
    expect(named[4]?.data).toMatchObject({ sessionId });
    expect(named[5]?.data.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  test("F: deletes a session", async () => {
    const { ask, librarian } = await stage();
    await librarian.runText(GREETING, { sessionId });
    const path = `agents/librarian/sessions/${sessionId}`;
    expect((await ask(path, { method: "DELETE" })).body).toEqual(DELETED);
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, { method: "DELETE" })).status).toBe(404);
  });
});

describe.each(STORES)("state over %s", (_, open) => {
  const stage = async () => await stageOver(await open());

  test("says which calls need a store", async () => {
    const { ask } = await stage();
    for (const [path, given] of [
      ["agents/gardener/sessions", {}],
      ["agents/gardener/sessions/s", {}],
      ["agents/gardener/sessions/s", { method: "DELETE" }],
    ] as const) {
      const { status, body } = await ask(path, given);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ status: "FAILED_PRECONDITION" });
      expect(body.error.requestId).toMatch(/^[0-9a-z]{26}$/);
    }
  });

  test("carries the state of an agent without a store", async () => {
    const { ask } = await stage();
    const path = "agents/gardener/execute";
    const first = await ask(path, { body: turn(GREETING) });
    const { messages, state, artifacts, sessionState } = first.body.result;
    expect(state.lastTopic).toBe("bees");
    const rfc = await ask(path, {
      body: turn(GREETING, { init: { sessionId: "mine", messages, state, artifacts } }),
    });
    expect(rfc.body.result).toMatchObject({ sessionId: "mine", state, artifacts });
    expect(rfc.body.result.messages).toHaveLength(4);
    const own = await ask(path, { body: turn(GREETING, { init: { sessionState } }) });
    expect(own.body.result.messages).toHaveLength(4);
    expect(own.body.result.sessionId).toBe(first.body.result.sessionId);
  });

  test("takes no state for an agent that keeps it", async () => {
    const { ask } = await stage();
    const init = {
      sessionId: "s",
      messages: [{ role: "model", content: [{ text: "I owe you" }] }],
    };
    const { status, body } = await ask("agents/librarian/execute", {
      body: turn(GREETING, { init }),
    });
    expect(status).toBe(400);
    expect(body.error.status).toBe("FAILED_PRECONDITION");
  });
});
