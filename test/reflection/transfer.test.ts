import { describe, expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { reflecting } from "./reflecting.ts";

const LINES = { "content-type": "application/x-ndjson" };

describe.each(STORES)("session files over %s", (_, open) => {
  test("bring a session back whole, as a copy", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("one", { sessionId: "s" });
    const { snapshotId: second = "" } = await agent.runText("two", { sessionId: "s" });
    await agent.label("s", { label: "good", snapshotId: second });
    await agent.label("s", { about: { title: "Named", tags: ["kept"] } });
    const { ask } = reflecting([agent]);
    const file = await ask("agents/echo/sessions/s/export");
    expect(file.headers.get("content-type")).toBe("application/x-ndjson");
    expect(file.headers.get("content-disposition")).toContain("s.ndjson");
    const { status, body } = await ask("agents/echo/sessions:import", {
      body: file.text,
      headers: LINES,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ snapshots: 2 });
    const [original, copy] = [
      await ask("agents/echo/sessions/s"),
      await ask(`agents/echo/sessions/${body.sessionId}`),
    ];
    expect(copy.body.messages).toEqual(original.body.messages);
    expect(copy.body).toMatchObject({ title: "Named", tags: ["kept"], labels: [{ name: "good" }] });
    expect((await agent.runText("three", { sessionId: body.sessionId })).finishReason).toBe("stop");
    const named = `agents/echo/sessions:import?sessionId=s`;
    expect((await ask(named, { body: file.text, headers: LINES })).status).toBe(409);
    expect((await ask("agents/echo/sessions/none/export")).status).toBe(404);
  });

  test("that are broken are refused, and nothing is written", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("one", { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const { text } = await ask("agents/echo/sessions/s/export");
    const broken = [text.slice(0, -20), text.replace("one", "won"), "{}", ""];
    for (const body of broken) {
      const { status } = await ask("agents/echo/sessions:import", { body, headers: LINES });
      expect(status).toBe(400);
    }
    expect((await ask("sessions")).body.sessions).toHaveLength(1);
  });

  test("are one document when that is asked for", async () => {
    const agent = echoAgent({ store: await open() });
    await agent.runText("one", { sessionId: "s" });
    await agent.runText("two", { sessionId: "s" });
    const { ask } = reflecting([agent]);
    const { body } = await ask("agents/echo/sessions/s/export?format=json");
    expect(body).toMatchObject({
      format: "agent-session",
      version: 1,
      agent: { name: "echo" },
      session: { sessionId: "s", tags: [] },
      traces: [],
    });
    expect(body.snapshots).toHaveLength(2);
    expect(body.snapshots[1].state.messages).toHaveLength(4);
  });
});
