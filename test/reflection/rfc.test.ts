import type { SessionStore } from "turnkeep";
import { describe, expect, test } from "vitest";
import { STORES } from "../agent/authoring/stores.ts";
import { allFrames } from "../http/frames.ts";
import { differences, DOCUMENT, eventsOf, examplesOf } from "./document.ts";
import { reflecting, turn } from "./reflecting.ts";
import { rfcAgents } from "./rfc-agents.ts";

// The endpoints of document 004, held against the document's own examples.

async function stageOver(store: SessionStore) {
  const { myAgent, persistentAgent } = rfcAgents(store);
  return { ...reflecting([myAgent, persistentAgent]), persistentAgent };
}

describe.skipIf(DOCUMENT === undefined).each(STORES)("document 004 over %s", (_, open) => {
  const stage = async () => await stageOver(await open());

  test("A: lists agents with their metadata", async () => {
    const { ask } = await stage();
    const [example] = examplesOf("A");
    const { status, body } = await ask("agents");
    expect(status).toBe(200);
    const { persistentAgent, ...agents } = example.agents;
    expect(body.agents).toMatchObject(agents);
    expect(differences(persistentAgent, body.agents.persistentAgent)).toEqual([]);
    expect(body.agents.persistentAgent).toMatchObject({ hasStore: true });
  });

  test("B: tells an agent's four schemas", async () => {
    const { ask } = await stage();
    const [example] = examplesOf("B");
    const { body } = await ask("agents/myAgent");
    for (const name of ["initSchema", "inputSchema", "outputSchema", "streamSchema"]) {
      const named = Object.keys(example[name].properties);
      expect(Object.keys(body[name].properties), name).toEqual(expect.arrayContaining(named));
      expect(body[name].type).toBe("object");
      Reflect.deleteProperty(example, name);
    }
    expect(differences(example, body)).toEqual([]);
    expect(body.description).toBe(example.description);
  });

  test("C: lists sessions", async () => {
    const { ask, persistentAgent } = await stage();
    const [example] = examplesOf("C");
    await persistentAgent.runText("Hello!", { sessionId: "sess_abc123" });
    await persistentAgent.runText("Hello!", { sessionId: "sess_older" });
    const { body } = await ask("agents/persistentAgent/sessions?limit=1");
    expect(differences(example, body)).toEqual([]);
    const next = await ask(
      `agents/persistentAgent/sessions?limit=1&continuationToken=${body.continuationToken}`,
    );
    const ids = [...body.sessions, ...next.body.sessions].map(({ sessionId }) => sessionId);
    expect(ids).toEqual(["sess_older", "sess_abc123"]);
    expect(next.body.sessions[0]).toMatchObject({
      agentName: "persistentAgent",
      status: "completed",
      messageCount: 2,
      hasArtifacts: true,
    });
  });

  test("D: tells a session with its threads and state", async () => {
    const { ask, persistentAgent } = await stage();
    const [example] = examplesOf("D");
    await persistentAgent.runText("Hello!", { sessionId: "sess_abc123" });
    const { body } = await ask("agents/persistentAgent/sessions/sess_abc123");
    expect(differences(example, body)).toEqual([]);
    expect(body.threads).toEqual(example.threads);
    expect(body.state).toEqual(example.state);
    // The same without loss.
    const { artifacts, ...custom } = example.state;
    expect(body).toMatchObject({ messages: example.threads.main, custom, artifacts });
  });

  test("E: starts and continues a conversation", async () => {
    const { ask } = await stage();
    const [request, answer] = examplesOf("E");
    const { status, body, headers } = await ask("agents/persistentAgent/execute", {
      body: { ...request, stream: false },
    });
    expect(status).toBe(200);
    expect(differences({ ...answer, telemetry: {} }, body)).toEqual([]);
    expect(body.result).toMatchObject({ sessionId: "sess_abc123", finishReason: "stop" });
    expect(body.result.messages).toHaveLength(2);
    expect(headers.get("x-run-id")).toMatch(/^x-.*\./);
    const again = await ask("agents/persistentAgent/execute", {
      body: { ...request, stream: false },
    });
    expect(again.body.result.messages).toHaveLength(4);
  });

  test("E: streams a conversation as named events", async () => {
    const { open } = await stage();
    const [request] = examplesOf("E");
    const example = eventsOf("E");
    const response = await open("agents/persistentAgent/execute", { body: request });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const frames = await allFrames(response);
    const named = frames.filter(({ event }) => example.some((one) => one.event === event));
    expect(named.map(({ event }) => event)).toEqual(example.map(({ event }) => event));
    for (const [index, { event, data }] of example.entries()) {
      const kept = event === "telemetry" ? {} : data;
      expect(differences(kept, named[index]?.data), event).toEqual([]);
    }
    expect(named.slice(0, 3).map(({ data }) => data)).toMatchObject(
      example.slice(0, 3).map(({ data }) => data),
    );
  });

  test("F: deletes a session", async () => {
    const { ask, persistentAgent } = await stage();
    const [example] = examplesOf("F");
    await persistentAgent.runText("Hello!", { sessionId: "sess_abc123" });
    const path = "agents/persistentAgent/sessions/sess_abc123";
    expect((await ask(path, { method: "DELETE" })).body).toEqual(example);
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, { method: "DELETE" })).status).toBe(404);
  });
});

describe.each(STORES)("state over %s", (_, open) => {
  const stage = async () => await stageOver(await open());

  test("says which calls need a store", async () => {
    const { ask } = await stage();
    for (const [path, given] of [
      ["agents/myAgent/sessions", {}],
      ["agents/myAgent/sessions/s", {}],
      ["agents/myAgent/sessions/s", { method: "DELETE" }],
    ] as const) {
      const { status, body } = await ask(path, given);
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ status: "FAILED_PRECONDITION" });
      expect(body.error.requestId).toMatch(/^[0-9a-z]{26}$/);
    }
  });

  test("carries the state of an agent without a store", async () => {
    const { ask } = await stage();
    const path = "agents/myAgent/execute";
    const first = await ask(path, { body: turn("Hello!") });
    const { messages, state, artifacts, sessionState } = first.body.result;
    expect(state.currentTopic).toBe("greeting");
    const { artifacts: _, ...custom } = state;
    const rfc = await ask(path, {
      body: turn("Hello!", { init: { sessionId: "mine", messages, state: custom, artifacts } }),
    });
    expect(rfc.body.result).toMatchObject({ sessionId: "mine", custom });
    expect(rfc.body.result.messages).toHaveLength(4);
    const own = await ask(path, { body: turn("Hello!", { init: { sessionState } }) });
    expect(own.body.result.messages).toHaveLength(4);
    expect(own.body.result.sessionId).toBe(first.body.result.sessionId);
  });

  test("takes no state for an agent that keeps it", async () => {
    const { ask } = await stage();
    const init = {
      sessionId: "s",
      messages: [{ role: "model", content: [{ text: "I owe you" }] }],
    };
    const { status, body } = await ask("agents/persistentAgent/execute", {
      body: turn("Hello!", { init }),
    });
    expect(status).toBe(400);
    expect(body.error.status).toBe("FAILED_PRECONDITION");
  });
});
