import { remoteAgent } from "genkit/beta/client";
import { describe, expect, it } from "vitest";
import { STORES } from "../../agent/authoring/stores.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { HOLDERS } from "../../genkit/interrupts/talk.ts";
import { byToken } from "../serving.ts";
import { type Trip, tripTalk } from "./trip-agent.ts";

describe.each(HOLDERS)("Genkit's client, with the state held by %s", (holder, open) => {
  const isKept = holder !== "the client";

  it("sends turn after turn and has the whole talk", async () => {
    const { client } = await tripTalk(await open());
    const chat = client.chat();
    const first = await chat.send("Rome");
    expect([first.text, first.finishReason]).toEqual(["To Rome", "stop"]);
    const second = await chat.send("Oslo");
    expect(second.text).toBe("To Oslo");
    expect(chat.messages.map(({ content }) => content[0]?.text)).toEqual([
      "Rome",
      "To Rome",
      "Oslo",
      "To Oslo",
    ]);
    expect(chat.state).toEqual({ stops: ["Rome", "Oslo"] });
    expect(chat.snapshotId === undefined).toBe(!isKept);
    expect(chat.sessionId).toBe(second.sessionId);
  });

  it("streams text, state and artifacts as they come", async () => {
    const { client } = await tripTalk(await open());
    const chat = client.chat();
    await chat.send("Rome");
    const turn = chat.sendStream("New York");
    const chunks = await collect(turn.stream);
    expect(chunks.map(({ text }) => text).filter(Boolean)).toEqual(["To ", "New ", "York "]);
    expect(chunks.findLast(({ text }) => text)?.accumulatedText).toBe("To New York ");
    expect(chunks.find(({ custom }) => custom)?.custom).toEqual({ stops: ["Rome", "New York"] });
    expect(chunks.find(({ artifact }) => artifact)?.artifact).toEqual({
      name: "ticket",
      parts: [{ text: "ticket to New York" }],
    });
    expect(chunks.at(-1)?.raw.turnEnd).toMatchObject({ finishReason: "stop" });
    expect((await turn.response).state).toEqual({ stops: ["Rome", "New York"] });
    expect(chat.artifacts).toEqual([{ name: "ticket", parts: [{ text: "ticket to New York" }] }]);
  });

  it("goes on after a first turn that failed, though state was streamed", async () => {
    const { client, errors } = await tripTalk(await open());
    for (const init of isKept ? [{}, { sessionId: "mine" }] : [{}]) {
      const chat = client.chat(init);
      const failure: unknown = await chat.send("nowhere").catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: "AgentError",
        status: "INTERNAL",
        message: "Something went wrong on the server.",
      });
      expect(await chat.send("Rome")).toMatchObject({ text: "To Rome", finishReason: "stop" });
      expect(chat.state).toEqual({ stops: ["Rome"] });
    }
    expect(String(errors[0]?.error)).toContain("canary-nowhere");
  });

  it("reads text of all scripts, however the stream is cut up", async () => {
    const { client } = await tripTalk(await open());
    const text = "Zürich 東京 🏔️👩‍👩‍👧 الرياض \u2028 \u0000 𝄞".repeat(40);
    const turn = client.chat().sendStream(text);
    const chunks = await collect(turn.stream);
    expect(chunks.map(({ text }) => text).join("")).toBe(`To ${text} `);
    expect((await turn.response).text).toBe(`To ${text}`);
  });

  it("lives through the sign of life of a turn that takes long", async () => {
    const { client, goOn, hasBegun } = await tripTalk(await open(), { limits: { pingMs: 5 } });
    const turn = client.chat().sendStream("slow");
    await hasBegun;
    const chunks: unknown[] = [];
    for await (const { raw } of turn.stream) {
      chunks.push(raw);
      if (chunks.filter((chunk) => JSON.stringify(chunk) === "{}").length === 3) goOn();
    }
    expect((await turn.response).text).toBe("To slow");
    expect(chunks.filter((chunk) => JSON.stringify(chunk) === "{}").length).toBeGreaterThan(2);
  });

  it("signs in with its headers and reads why it may not", async () => {
    const { url } = await tripTalk(await open(), { auth: byToken });
    const at = { url: `${url}/agents/trip` };
    const headers = { Authorization: "Bearer acme/ann" };
    const known = remoteAgent<Trip>({ ...at, headers: async () => headers });
    expect((await known.chat().send("Rome")).text).toBe("To Rome");
    const stranger = remoteAgent<Trip>(at).chat().send("Rome");
    await expect(stranger).rejects.toThrow(/Server returned: 401: .*"UNAUTHENTICATED"/);
  });
});

describe.each(STORES)("Genkit's client and what is kept over %s", (_, open) => {
  it("detaches, polls and waits", async () => {
    const { client, goOn, hasBegun } = await tripTalk(await open());
    const task = await client.chat().detach("slow");
    await hasBegun;
    expect((await client.getSnapshot(task.snapshotId))?.status).toBe("pending");
    const statuses: string[] = [];
    for await (const { status = "" } of task.poll({ intervalMs: 5 })) {
      statuses.push(status);
      goOn();
    }
    expect(statuses[0]).toBe("pending");
    expect(statuses.at(-1)).toBe("completed");
    expect(await task.wait({ intervalMs: 5 })).toMatchObject({
      snapshotId: task.snapshotId,
      state: { custom: { stops: ["slow"] } },
    });
  });

  it("aborts a detached turn, and goes on from before it", async () => {
    const { client, hasBegun, wasStopped } = await tripTalk(await open());
    const chat = client.chat();
    await chat.send("Rome");
    const before = chat.snapshotId ?? "";
    const task = await chat.detach("endless");
    await hasBegun;
    expect(await task.abort()).toBe("aborted");
    await wasStopped;
    expect((await task.wait({ intervalMs: 5 })).status).toBe("aborted");
    expect(await task.abort()).toBe("aborted");
    expect(await client.abort(before)).toBe("completed");
    expect(await client.abort("nothing.here")).toBeUndefined();
    const again = await client.loadChat({ snapshotId: before });
    expect((await again.send("Oslo")).text).toBe("To Oslo");
  });

  it("stops reading without stopping the turn", async () => {
    const { client, hasBegun, goOn, agent } = await tripTalk(await open());
    const chat = client.chat({ sessionId: "left" });
    const turn = chat.sendStream("slow");
    await hasBegun;
    turn.abort();
    await collect(turn.stream);
    expect((await turn.response).finishReason).toBe("aborted");
    goOn();
    const [pending] = await agent.listSnapshots("left");
    expect((await agent.waitFor(pending!.snapshotId)).status).toBe("completed");
  });

  it("loads a talk by session and by snapshot", async () => {
    const { client } = await tripTalk(await open());
    const chat = client.chat({ sessionId: "tour" });
    await chat.send("Rome");
    const rome = chat.snapshotId ?? "";
    await chat.send("Oslo");
    const latest = await client.loadChat({ sessionId: "tour" });
    expect([latest.snapshotId, latest.state]).toEqual([
      chat.snapshotId,
      { stops: ["Rome", "Oslo"] },
    ]);
    expect(latest.messages).toEqual(chat.messages);
    expect(latest.artifacts).toEqual([{ name: "ticket", parts: [{ text: "ticket to Oslo" }] }]);
    const earlier = await client.loadChat({ snapshotId: rome });
    expect(earlier.messages).toHaveLength(2);
    expect((await earlier.send("Bern")).state).toEqual({ stops: ["Rome", "Bern"] });
    await expect(client.loadChat({ sessionId: "none" })).rejects.toThrow(/404.*NOT_FOUND/);
  });

  it("reads the status of misuse in the stream", async () => {
    const { client } = await tripTalk(await open());
    const missing = client.chat({ snapshotId: "no.such" }).send("Rome");
    await expect(missing).rejects.toMatchObject({ name: "AgentError", status: "NOT_FOUND" });
    const carried = client.chat({ state: { messages: [] } }).send("Rome");
    await expect(carried).rejects.toMatchObject({ status: "FAILED_PRECONDITION" });
  });

  it("is told that a session is busy, and with what", async () => {
    const { client, hasBegun, goOn } = await tripTalk(await open());
    const slow = client.chat({ sessionId: "busy" }).send("slow");
    await hasBegun;
    const second = client.chat({ sessionId: "busy" }).send("Rome");
    await expect(second).rejects.toMatchObject({ status: "ABORTED" });
    goOn();
    expect((await slow).text).toBe("To slow");
  });
});
