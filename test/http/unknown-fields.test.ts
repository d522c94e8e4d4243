import type { CallOptions } from "turnkeep";
import { genkitProtocol } from "turnkeep/client";
import { describe, expect, it } from "vitest";
import { echoAgent, user } from "../agent/agents.ts";
import { STORES } from "../agent/authoring/stores.ts";
import { agentOf, errorOf } from "../agent/authoring/turns.ts";
import { behindHttp } from "../client/remote.ts";
import { genkitFrames } from "./frames.ts";
import { run, served, STREAMED, turn } from "./serving.ts";

const SESSION_ID = "Unknown init field `sessionID`. Did you mean `sessionId`?";

describe.each(STORES)("over %s", (_, open) => {
  it.each<[object, string]>([
    [{ input: { messages: [] } }, "Unknown input field `messages`. Did you mean `message`?"],
    [{ data: user("hi") }, "Unknown request field `data`. Did you mean `input`?"],
    [{}, "'input' is missing."],
    [run("hi", { inti: {} }), "Unknown request field `inti`. Did you mean `init`?"],
    [run("hi", { onBusy: "quue" }), "Unknown busy policy `quue`. Did you mean `queue`?"],
    [run("hi", { init: { sessionID: "s" } }), SESSION_ID],
    [run("hi", { init: { messages: [] } }), "Did you mean `state.messages`?"],
    [run("hi", { init: { state: { mesages: [] } } }), "Did you mean `messages`?"],
  ])("a run is refused, and nothing is done: %j", async (body, message) => {
    const { ask } = await served([echoAgent({ store: await open() })]);
    const answer = await ask("/agents/echo/runs", { body });
    expect([answer.status, answer.body.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(answer.body.message).toContain(message);
    expect((await ask("/agents/echo/sessions")).body.sessions).toEqual([]);
  });

  it.each<[object, string]>([
    [{}, "must be an object with 'data'"],
    [{ init: {} }, "must be an object with 'data'"],
    [{ input: user("hi") }, "Unknown request field `input`. Did you mean `data`?"],
    [{ data: { messages: [] } }, "Unknown input field `messages`. Did you mean `message`?"],
    [turn("hi", { sessionID: "s" }), SESSION_ID],
    [turn("hi", { messages: [] }), "Did you mean `state.messages`?"],
    [turn("hi", { artifacts: [] }), "Did you mean `state.artifacts`?"],
  ])("a turn of Genkit's protocol is refused: %j", async (body, message) => {
    const { ask } = await served([echoAgent({ store: await open() })]);
    const answer = await ask("/agents/echo", { body });
    expect([answer.status, answer.body.status]).toEqual([400, "INVALID_ARGUMENT"]);
    expect(answer.body.message).toContain(message);
    const streamed = await ask("/agents/echo", { body, headers: STREAMED });
    expect(genkitFrames(streamed.text)).toMatchObject([{ error: { status: "INVALID_ARGUMENT" } }]);
    expect((await ask("/agents/echo/sessions")).body.sessions).toEqual([]);
  });

  it("an unknown option of a remote agent reaches the server, which refuses it", async () => {
    const agent = echoAgent({ store: await open() });
    const wrong = { sessionID: "s" } as CallOptions;
    for (const remote of [
      await behindHttp(agent),
      await behindHttp(agent, { protocol: genkitProtocol }),
    ]) {
      const error = await errorOf(() => remote.runText("hi", wrong));
      expect(error).toMatchObject({ status: "INVALID_ARGUMENT", message: SESSION_ID });
    }
  });

  it("a state is refused by an agent that keeps its own, and together with an id by any", async () => {
    const { ask } = await served([echoAgent({ store: await open() }), echoAgent({ name: "bare" })]);
    const refusal = async (agent: string, init: object): Promise<string> => {
      const headers = { "idempotency-key": "k", ...STREAMED };
      const { body, text } = await ask(`/agents/${agent}/runs`, {
        body: run("hi", { init }),
        headers,
      });
      return body?.status ?? /"status":"(\w+)"/.exec(text)?.[1];
    };
    expect(await refusal("echo", { state: {} })).toBe("FAILED_PRECONDITION");
    for (const agent of ["echo", "bare"]) {
      expect(await refusal(agent, { state: {}, sessionId: "s" })).toBe("INVALID_ARGUMENT");
      expect(await refusal(agent, { state: {}, snapshotId: "s.1" })).toBe("INVALID_ARGUMENT");
    }
  });

  it("an unknown finish reason is the failure of its turn", async () => {
    const agent = agentOf({ store: await open() }, () => ({ finishReason: "nonsense" as never }));
    const { ask } = await served([agent]);
    const { body } = await ask("/agents/actor", { body: turn("hi") });
    expect(body.result).toMatchObject({
      finishReason: "failed",
      error: {
        status: "INVALID_ARGUMENT",
        message: expect.stringMatching(/^Unknown finish reason/),
      },
    });
  });

  it("a fork is refused when its body has unknown members", async () => {
    const agent = echoAgent({ store: await open() });
    const { snapshotId } = await agent.runText("hi", { sessionId: "s" });
    const { ask } = await served([agent]);
    const { status, body } = await ask(`/agents/echo/snapshots/${snapshotId}/fork`, {
      body: { sessionid: "t" },
    });
    expect(status).toBe(400);
    expect(body.message).toBe("Unknown request field `sessionid`. Did you mean `sessionId`?");
  });
});
