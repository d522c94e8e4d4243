import { genkitProtocol, remoteAgent } from "turnkeep/client";
import { expect, test } from "vitest";
import { textOf, textsOf, user } from "../agent/agents.ts";
import { collect, errorOf } from "../agent/authoring/turns.ts";
import { fakeServer, json, stream } from "./fake-server.ts";
import { HASTY } from "./remote.ts";

const COMPLETED = { createdAt: "2026-01-01T00:00:00Z", status: "completed" };

function message(chunk: unknown): string {
  return `data: ${JSON.stringify({ message: chunk })}`;
}

function said(text: string): unknown {
  return { modelChunk: { role: "model", content: [{ text }] } };
}

test("a Genkit server that keeps the state", async () => {
  let polls = 0;
  const { url, asked } = await fakeServer(({ path, body }, response) => {
    const { data } = JSON.parse(body) as { data: Record<string, unknown> };
    if (path.endsWith("/abort"))
      return json(response, 200, { result: { snapshotId: "d", status: "aborted" } });
    if (path.endsWith("/getSnapshot")) {
      polls += 1;
      const status = polls < 3 ? "pending" : "completed";
      return json(response, 200, { result: { ...COMPLETED, snapshotId: "d", status } });
    }
    if (data["detach"]) {
      return stream(
        response,
        `data: {"result":{"sessionId":"s","snapshotId":"d","finishReason":"detached"}}`,
      );
    }
    return stream(
      response,
      message({ customPatch: [{ op: "replace", path: "", value: { n: 1 } }] }),
      message({}),
      message(said("Hel")),
      message(said("lo")),
      message({ turnEnd: { snapshotId: `n${asked.length}`, finishReason: "stop" } }),
      `data: {"result":{"sessionId":"s","snapshotId":"n${asked.length}","message":{"role":"model","content":[{"text":"Hello"}]},"finishReason":"stop"}}`,
    );
  });
  const agent = remoteAgent({ url, protocol: genkitProtocol, ports: HASTY });
  const output = await agent.runText("hi", { sessionId: "s" });
  expect(textOf(output.message)).toBe("Hello");
  const connection = agent.connect({ snapshotId: "start" });
  await connection.sendText("one");
  await connection.sendText("two");
  connection.close();
  const chunks = await collect(connection.receive());
  expect(chunks.filter(({ turnEnd }) => turnEnd)).toHaveLength(2);
  expect(connection.custom()).toEqual({ n: 1 });
  const bodies = asked.map(({ body }) => JSON.parse(body) as { init: unknown });
  expect(bodies.map(({ init }) => init)).toEqual([
    { sessionId: "s" },
    { snapshotId: "start" },
    // Goes on where the one before ended.
    { snapshotId: "n2" },
  ]);
  const run = await agent.detach(user("later"), { sessionId: "s" });
  expect(run.snapshotId).toBe("d");
  expect((await run.wait()).status).toBe("completed");
  expect(polls).toBe(3);
  expect(await run.abort()).toEqual({ status: "aborted" });
  expect((await agent.getLatestSnapshot("s")).snapshotId).toBe("d");
  for (const ask of [
    () => agent.listSessions(),
    () => agent.fork("d"),
    () => collect(agent.attach("d")),
    () => collect(agent.exportSession("s")),
    () => agent.load(),
  ]) {
    expect((await errorOf(ask)).status).toBe("UNIMPLEMENTED");
  }
});

test("a Genkit server whose clients carry the state", async () => {
  const { url } = await fakeServer(({ body }, response) => {
    const { data, init } = JSON.parse(body) as never as {
      data: { message: unknown };
      init: { state?: { messages: unknown[] } };
    };
    const messages = [...(init.state?.messages ?? []), data.message];
    stream(
      response,
      message(said("ok")),
      `data: ${JSON.stringify({ result: { state: { sessionId: "s", messages } } })}`,
    );
  });
  const agent = remoteAgent({
    url,
    protocol: genkitProtocol,
    stateManagement: "client",
    ports: HASTY,
  });
  const connection = agent.connect();
  for (const text of ["one", "two", "three"]) await connection.sendText(text);
  const { state } = await connection.output();
  expect(textsOf(state)).toEqual(["one", "two", "three"]);
});

test.each([
  ["as JavaScript servers say it", `error: {"error":{"status":"INVALID_ARGUMENT","message":"no"}}`],
  [
    "as Go and Python servers say it",
    `data: {"error":{"status":"INVALID_ARGUMENT","message":"no"}}`,
  ],
])("an error in the stream, %s", async (_how, frame) => {
  const { url } = await fakeServer((_asked, response) =>
    stream(response, message(said("a")), frame),
  );
  const agent = remoteAgent({ url, protocol: genkitProtocol, ports: HASTY });
  const error = await errorOf(() => agent.runText("hi"));
  expect([error.status, error.message]).toEqual(["INVALID_ARGUMENT", "no"]);
});

test("a stream that ends without an end is no success, and is not sent again", async () => {
  const { url, asked } = await fakeServer((_asked, response) =>
    stream(response, message(said("a"))),
  );
  const agent = remoteAgent({ url, protocol: genkitProtocol, ports: HASTY });
  expect((await errorOf(() => agent.runText("hi"))).status).toBe("UNAVAILABLE");
  expect(asked).toHaveLength(1);
});

test("stopping cuts the stream, and is no error", async () => {
  const { url } = await fakeServer((_asked, response) => {
    response.writeHead(200);
    response.write(`${message(said("a"))}\n\n`);
  });
  const stop = new AbortController();
  const agent = remoteAgent({ url, protocol: genkitProtocol, ports: HASTY });
  const { chunks, output } = agent.streamText("hi", { signal: stop.signal });
  for await (const _ of chunks) break;
  stop.abort();
  expect((await output).finishReason).toBe("aborted");
});
