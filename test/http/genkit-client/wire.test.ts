import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { genkitFrames } from "../frames.ts";
import { STREAMED, turn } from "../serving.ts";
import { tripTalk } from "./trip-agent.ts";

const AT = "/agents/trip";

describe.each(STORES)("what Genkit's clients are sent over %s", (_, open) => {
  it("is one line of ASCII to a frame, parted by LF, and one last frame", async () => {
    const { ask } = await tripTalk(await open());
    const { status, headers, text } = await ask(AT, {
      body: turn("Zürich\r\n\n東京 🗼"),
      headers: STREAMED,
    });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/event-stream");
    expect(headers.get("cache-control")).toContain("no-cache");
    expect(text).toMatch(/^(?:data: \{[\u0020-\u007e]*\}\n\n)+$/);
    const frames = genkitFrames(text) as Record<string, unknown>[];
    expect(frames.slice(0, -1).every((frame) => Object.keys(frame).join() === "message")).toBe(
      true,
    );
    expect(frames.at(-1)).toMatchObject({
      result: { finishReason: "stop", message: { content: [{ text: "To Zürich\r\n\n東京 🗼" }] } },
    });
  });

  it("is written byte for byte like this", async () => {
    const { ask } = await tripTalk(await open());
    const { text } = await ask(AT, { body: turn("Rom", { sessionId: "s" }), headers: STREAMED });
    const [id] = /s\.[0-9a-z]{26}/.exec(text) ?? [""];
    expect(text.replaceAll(id, "ID")).toBe(
      [
        'data: {"message":{"customPatch":[{"op":"replace","path":"","value":{"stops":["Rom"]}}]}}',
        'data: {"message":{"modelChunk":{"content":[{"text":"To "}]}}}',
        'data: {"message":{"modelChunk":{"content":[{"text":"Rom "}]}}}',
        'data: {"message":{"artifact":{"name":"ticket","parts":[{"text":"ticket to Rom"}]}}}',
        'data: {"message":{"turnEnd":{"snapshotId":"ID","finishReason":"stop"}}}',
        'data: {"result":{"sessionId":"s","snapshotId":"ID","snapshotIds":["ID"],"message":{"role":"model","content":[{"text":"To Rom"}]},"artifacts":[{"name":"ticket","parts":[{"text":"ticket to Rom"}]}],"finishReason":"stop"}}',
        "",
      ].join("\n\n"),
    );
  });

  it("is streamed for either way of asking, and JSON otherwise", async () => {
    const { ask } = await tripTalk(await open());
    for (const [path, headers] of [
      [AT, { accept: "application/json, Text/Event-Stream;q=0.5" }],
      [`${AT}?stream=true`, {}],
    ] as const) {
      expect((await ask(path, { body: turn("Rome"), headers })).text).toMatch(/^data: /);
    }
    for (const path of [AT, `${AT}?stream=1`, `${AT}?stream=false`]) {
      const { headers, body } = await ask(path, { body: turn("Rome") });
      expect(headers.get("content-type")).toBe("application/json");
      expect(body.result).toMatchObject({ finishReason: "stop" });
    }
    const { body } = await ask(AT, { body: { data: user("without init") } });
    expect(body.result).toMatchObject({ finishReason: "stop" });
  });

  it("says misuse in the stream, and as a status where there is none", async () => {
    const { ask } = await tripTalk(await open());
    const { body: first } = await ask(AT, { body: turn("Rome", { sessionId: "two" }) });
    const cases = [
      [turn("Rome", { state: {} }), "FAILED_PRECONDITION", 400],
      [
        turn("Rome", { sessionId: "one", snapshotId: first.result.snapshotId }),
        "INVALID_ARGUMENT",
        400,
      ],
      [turn("Rome", { sessionId: 7 }), "INVALID_ARGUMENT", 400],
      [{ data: { message: "Rome" }, init: {} }, "INVALID_ARGUMENT", 400],
      [{ data: { message: { role: "system", content: [] } } }, "INVALID_ARGUMENT", 400],
      [{ data: { message: { role: "model", content: [] } } }, "INVALID_ARGUMENT", 400],
      [{ data: { message: { role: "tool", content: [] } } }, "INVALID_ARGUMENT", 400],
      [[], "INVALID_ARGUMENT", 400],
    ] as const;
    for (const [body, status, code] of cases) {
      const streamed = await ask(AT, { body, headers: STREAMED });
      expect(streamed.status).toBe(200);
      expect(genkitFrames(streamed.text)).toEqual([
        { error: expect.objectContaining({ status, message: expect.any(String) }) },
      ]);
      const plain = await ask(AT, { body });
      expect([plain.status, plain.body.status]).toEqual([code, status]);
      expect(plain.body.requestId).toBe(plain.headers.get("x-request-id"));
    }
  });

  it("answers for snapshots as Genkit does", async () => {
    const { ask } = await tripTalk(await open());
    const { body } = await ask(AT, { body: turn("Rome", { sessionId: "s" }) });
    const { snapshotId } = body.result;
    const get = (data: unknown) => ask(`${AT}/getSnapshot`, { body: { data } });
    const byId = await get({ snapshotId });
    expect(byId.body.result).toMatchObject({
      snapshotId,
      sessionId: "s",
      status: "completed",
      state: { custom: { stops: ["Rome"] } },
    });
    expect((await get({ sessionId: "s" })).body).toEqual(byId.body);
    expect((await get({ sessionId: "s", snapshotId })).body).toEqual(byId.body);
    const { state: __, ...rest } = byId.body.result;
    expect((await get({ snapshotId, metadataOnly: true })).body.result).toEqual(rest);
    expect((await get({ sessionId: "t", snapshotId })).status).toBe(404);
    expect((await get({ snapshotId: "s.none" })).body).toMatchObject({
      status: "NOT_FOUND",
      message: "Snapshot 's.none' not found for agent 'trip'.",
    });
    expect((await get({})).status).toBe(400);
    const abort = (data: unknown) => ask(`${AT}/abort`, { body: { data } });
    expect((await abort({ snapshotId })).body).toEqual({
      result: { snapshotId, status: "completed" },
    });
    expect((await abort({ snapshotId: "no.such" })).body).toEqual({
      result: { snapshotId: "no.such" },
    });
    expect((await abort({})).status).toBe(400);
  });

  it("does the same turn once when it is sent again under one key", async () => {
    const { ask, agent } = await tripTalk(await open());
    const headers = { "idempotency-key": "key-0123456789abcdef" };
    const first = await ask(AT, { body: turn("Rome"), headers });
    const again = await ask(AT, { body: turn("Rome"), headers });
    expect(again.body.result).toEqual(first.body.result);
    const streamed = await ask(AT, { body: turn("Rome"), headers: { ...headers, ...STREAMED } });
    expect(genkitFrames(streamed.text).at(-1)).toEqual(first.body);
    const other = await ask(AT, { body: turn("Oslo"), headers });
    expect([other.status, other.body.details.reason]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    expect((await agent.listSessions()).sessions).toHaveLength(1);
  });
});

it("sends each chunk on its own, as it comes, in chunked pieces that are whole", async () => {
  const { server, goOn, hasBegun } = await tripTalk(undefined, { limits: { pingMs: 10 } });
  const body = JSON.stringify(turn("slow"));
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `POST ${AT} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  let seen = "";
  socket.on("data", (piece) => (seen += piece.toString("latin1")));
  await hasBegun;
  await expect.poll(() => seen).toContain('data: {"message":{}}\n\n');
  expect(seen).not.toContain("result");
  expect(seen).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(seen.toLowerCase()).toContain("\r\ntransfer-encoding: chunked\r\n");
  goOn();
  await expect.poll(() => seen).toContain("\r\n0\r\n\r\n");
  socket.destroy();
  expect(seen.match(/"result"/g)).toHaveLength(1);
  expect(seen.slice(seen.indexOf("\r\n\r\n"))).not.toMatch(/^(?:id|event|retry|:)/m);
});
