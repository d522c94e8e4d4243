import type { ServerResponse } from "node:http";
import { TurnkeepError } from "turnkeep";
import { type Reconnect, remoteAgent } from "turnkeep/client";
import { describe, expect, test } from "vitest";
import { collect, errorOf } from "../agent/authoring/turns.ts";
import { sleep } from "../agent/life/waiting.ts";
import { fakeServer, json, result, RUN, stream, update } from "./fake-server.ts";
import { HASTY } from "./remote.ts";

type Talk = (response: ServerResponse, path: string) => void;

const PART = { text: "x" };
const MODEL = { modelChunk: { content: [PART] } };

// What no client should take for an answer.
const HOSTILE: readonly (readonly [string, Talk])[] = [
  ["no JSON", (response) => stream(response, RUN, "event: update\nid: s.r.1\ndata: {nope")],
  ["no object", (response) => stream(response, RUN, "event: update\ndata: [1]")],
  ["nothing", (response) => stream(response, RUN, "event: result\ndata: null")],
  ["no run id", (response) => stream(response, `event: run\ndata: {"sessionId":"s"}`)],
  ["a run id that is none", (response) => stream(response, `event: run\ndata: {"runId":{}}`)],
  ["an answer before the run", (response) => stream(response, result({ finishReason: "stop" }))],
  ["another run's event", (response) => stream(response, RUN, update(1, MODEL, "other.r.1"))],
  ["an event of another number", (response) => stream(response, RUN, update(1, MODEL, "s.r.2"))],
  ["no number", (response) => stream(response, RUN, `event: update\ndata: {"seq":"1"}`)],
  ["a number below zero", (response) => stream(response, RUN, update(-1, MODEL))],
  ["no parts", (response) => stream(response, RUN, update(1, { modelChunk: { content: "x" } }))],
  ["no part", (response) => stream(response, RUN, update(1, { modelChunk: { content: [null] } }))],
  ["no patch", (response) => stream(response, RUN, update(1, { customPatch: {} }))],
  ["no artifact", (response) => stream(response, RUN, update(1, { artifact: [] }))],
  ["no message", (response) => stream(response, RUN, result({ message: "hi" }))],
  ["no state", (response) => stream(response, RUN, result({ state: { messages: "all" } }))],
  [
    "a key that reaches a prototype",
    (response) => stream(response, RUN, `event: result\ndata: {"__proto__":{"polluted":1}}`),
  ],
  [
    "one deep down",
    (response) =>
      stream(response, RUN, `event: result\ndata: {"a":[{"constructor":{"polluted":1}}]}`),
  ],
  [
    "a deep nest",
    (response) =>
      stream(response, RUN, `event: result\ndata: ${"[".repeat(5000)}${"]".repeat(5000)}`),
  ],
];

describe("a server that answers with", () => {
  test.each(HOSTILE)("%s is refused, and nothing else happens", async (_what, talk) => {
    const { url, asked } = await fakeServer((_asked, response) => talk(response, ""));
    const agent = remoteAgent({ url, ports: HASTY });
    const { chunks, output } = agent.streamText("hi", { sessionId: "s" });
    const failed = collect(chunks).then(
      () => undefined,
      (error: unknown) => error,
    );
    const error = await errorOf(() => output);
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(TurnkeepError.is(await failed)).toBe(true);
    expect(asked).toHaveLength(1);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("an event without end is given up", async () => {
    const { url } = await fakeServer(async (_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${RUN}\n\ndata: `);
      const piece = "x".repeat(1_000_000);
      while (!response.destroyed) {
        if (!response.write(piece)) await sleep(1);
      }
    });
    const agent = remoteAgent({ url, ports: HASTY });
    const error = await errorOf(() => agent.runText("hi"));
    expect([error.status, error.reason]).toEqual(["RESOURCE_EXHAUSTED", "LIMIT_EXCEEDED"]);
  });

  test("a body without end is given up", async () => {
    const { url } = await fakeServer(async (_asked, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`{"a":"`);
      const piece = "x".repeat(1_000_000);
      while (!response.destroyed) {
        if (!response.write(piece)) await sleep(1);
      }
    });
    const agent = remoteAgent({ url, ports: HASTY });
    expect((await errorOf(() => agent.getSnapshot("s.1"))).reason).toBe("LIMIT_EXCEEDED");
    expect((await errorOf(() => collect(agent.exportSession("s")))).reason).toBe("LIMIT_EXCEEDED");
  });

  test("snapshots that are none", async () => {
    for (const body of [
      "[]",
      "null",
      "{}",
      `{"snapshotId":5}`,
      `{"snapshotId":"s.1","state":[]}`,
      "<html>",
    ]) {
      const { url } = await fakeServer((_asked, response) => json(response, 200, body));
      const agent = remoteAgent({ url, ports: HASTY });
      for (const ask of [() => agent.getSnapshot("s.1"), () => agent.listSnapshots("s")]) {
        expect((await errorOf(ask)).status, body).toBe("INVALID_ARGUMENT");
      }
      expect((await errorOf(() => agent.listSessions())).status).toBe("INVALID_ARGUMENT");
    }
  });
});

describe("patches that do not fit", () => {
  const PATCHES: readonly (readonly [string, unknown])[] = [
    ["lead nowhere", [{ op: "replace", path: "/missing/deep", value: 1 }]],
    ["reach a prototype", [{ op: "add", path: "/__proto__/polluted", value: 1 }]],
    ["reach a constructor", [{ op: "add", path: "/constructor", value: 1 }]],
    ["copy from a prototype", [{ op: "copy", from: "/__proto__", path: "/a" }]],
    ["make a huge list", [{ op: "add", path: "/list/4294967293", value: 1 }]],
    ["are no operations", [null]],
    ["do what is not known", [{ op: "explode", path: "" }]],
  ];

  test.each(PATCHES)(
    "because they %s: the state is read from the snapshot",
    async (_why, patch) => {
      const { url, asked } = await fakeServer(({ path }, response) => {
        if (path.endsWith("/runs")) {
          return stream(
            response,
            RUN,
            update(1, { customPatch: [{ op: "replace", path: "", value: { list: [], n: 1 } }] }),
            update(2, { customPatch: patch }),
            update(3, { customPatch: [{ op: "replace", path: "/n", value: 99 }] }),
            update(4, { turnEnd: { snapshotId: "s.end" } }),
            result({ sessionId: "s", snapshotId: "s.end", finishReason: "stop" }),
          );
        }
        const n = path.endsWith("/snapshots/s.end") ? 3 : 2;
        return json(response, 200, {
          snapshotId: "s.x",
          createdAt: "2026-01-01T00:00:00Z",
          state: { custom: { n } },
        });
      });
      const connection = remoteAgent({ url, ports: HASTY }).connect({ sessionId: "s" });
      await connection.sendText("go");
      connection.close();
      const seen: unknown[] = [];
      for await (const _ of connection.events()) seen.push(structuredClone(connection.custom()));
      expect(seen).toEqual([{ list: [], n: 1 }, { n: 2 }, { n: 2 }, { n: 3 }]);
      expect(asked.map(({ path }) => path)).toEqual([
        "/agents/fake/runs",
        "/agents/fake/sessions/s",
        "/agents/fake/snapshots/s.end",
      ]);
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    },
  );
});

describe("errors", () => {
  test.each([
    [400, "INVALID_ARGUMENT"],
    [401, "UNAUTHENTICATED"],
    [403, "PERMISSION_DENIED"],
    [404, "NOT_FOUND"],
    [409, "ABORTED"],
    [413, "INVALID_ARGUMENT"],
    [422, "INVALID_ARGUMENT"],
    [501, "UNIMPLEMENTED"],
  ])("%i is final, with or without words: %s", async (code, status) => {
    for (const body of [
      {},
      "<html>",
      { status, message: "no", details: { reason: "R", more: 1 } },
    ]) {
      const { url, asked } = await fakeServer((_asked, response) => json(response, code, body));
      const agent = remoteAgent({ url, ports: HASTY });
      const error = await errorOf(() => agent.runText("hi"));
      expect(error.status).toBe(status);
      expect(asked).toHaveLength(1);
      if (typeof body === "string" || !("message" in body)) continue;
      expect([error.message, error.reason, error.details]).toEqual(["no", "R", { more: 1 }]);
    }
  });

  test.each([408, 429, 500, 502, 503, 504])("%i is tried again, a few times", async (code) => {
    const { url, asked } = await fakeServer((_asked, response) => json(response, code, "busy"));
    const tries: Reconnect[] = [];
    const agent = remoteAgent({
      url,
      ports: { ...HASTY, random: () => 0.5 },
      onReconnect: (reconnect) => tries.push(reconnect),
    });
    const error = await errorOf(() => agent.runText("hi"));
    expect(["UNAVAILABLE", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"]).toContain(error.status);
    expect(asked).toHaveLength(6);
    expect(tries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 250],
      [2, 500],
      [3, 1000],
      [4, 2000],
      [5, 4000],
    ]);
    const keys = new Set(asked.map(({ headers }) => headers["idempotency-key"]));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^.{16,128}$/);
  });

  test("when to come back is the server's to say", async () => {
    const { url } = await fakeServer(({ method }, response) =>
      method === "POST"
        ? json(response, 503, {}, { "retry-after": "7" })
        : json(response, 429, {}, { "retry-after": "100000" }),
    );
    const tries: Reconnect[] = [];
    const ports = {
      ...HASTY,
      random: () => 0,
      after: (milliseconds: number, call: () => void) =>
        HASTY.after(milliseconds === 45_000 ? milliseconds : 0, call),
    };
    const onReconnect = (reconnect: Reconnect): number => tries.push(reconnect);
    const agent = remoteAgent({ url, ports, onReconnect, attempts: 1 });
    await errorOf(() => agent.abort("s.r"));
    await errorOf(() => agent.getSnapshot("s.1"));
    expect(tries.map(({ delayMs }) => delayMs)).toEqual([7000, 60_000]);
  });

  test("nobody there is UNAVAILABLE", async () => {
    const agent = remoteAgent({ url: "http://127.0.0.1:9/agents/nobody", ports: HASTY });
    for (const ask of [() => agent.runText("hi"), () => agent.getSnapshot("s.1")]) {
      const error = await errorOf(ask);
      expect([error.status, error.retryable]).toEqual(["UNAVAILABLE", true]);
    }
  });

  test("trying ends by the caller's signal", async () => {
    const stop = new AbortController();
    const agent = remoteAgent({
      url: "http://127.0.0.1:9/agents/nobody",
      attempts: 1000,
      onReconnect: ({ attempt }) => attempt > 2 && stop.abort("enough"),
    });
    await expect(agent.runText("hi", { signal: stop.signal })).rejects.toBe("enough");
  });

  test("a stream that never says more than its run is given up", async () => {
    const { url, asked } = await fakeServer((_asked, response) => stream(response, RUN));
    const error = await errorOf(() => remoteAgent({ url, ports: HASTY }).runText("hi"));
    expect(error.status).toBe("UNAVAILABLE");
    expect(asked.map(({ method, path }) => `${method} ${path.slice(12)}`)).toEqual([
      "POST /runs",
      ...Array.from({ length: 5 }, () => "GET /runs/s.r/events"),
    ]);
  });

  test("a server that falls silent is left and asked again", async () => {
    let calls = 0;
    const { url } = await fakeServer(({ path }, response) => {
      calls += 1;
      if (path.endsWith("/events")) return stream(response, RUN, update(2, MODEL), result({}));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`${RUN}\n\n${update(1, MODEL)}\n\n`);
      return undefined;
    });
    const ports = { ...HASTY, after: (_: number, call: () => void) => HASTY.after(5000, call) };
    const { chunks } = remoteAgent({ url, ports }).streamText("hi");
    expect(await collect(chunks)).toHaveLength(2);
    expect(calls).toBe(2);
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "by %i is not followed, whatever it leads to",
    async (code) => {
      const other = await fakeServer((_asked, response) => json(response, 200, {}));
      const { url } = await fakeServer((_asked, response) =>
        json(response, code, {}, { location: other.url }),
      );
      const agent = remoteAgent({ url, ports: HASTY, headers: { authorization: "Bearer secret" } });
      for (const ask of [
        () => agent.runText("hi"),
        () => agent.getSnapshot("s.1"),
        () => agent.deleteSession("s"),
        () => collect(agent.attach("s.r")),
        () => collect(agent.exportSession("s")),
      ]) {
        expect((await errorOf(ask)).status).toBe("FAILED_PRECONDITION");
      }
      expect(other.asked).toHaveLength(0);
    },
  );
});

test("ids cannot lead to another path", async () => {
  const { url, asked } = await fakeServer((_asked, response) => json(response, 404, {}));
  const agent = remoteAgent({ url, ports: HASTY });
  for (const id of ["../../admin", "a/b", "?x=1", "#x", "%2e%2e"]) {
    await errorOf(() => agent.getSnapshot(id));
    await errorOf(() => agent.getLatestSnapshot(id));
    await errorOf(() => collect(agent.attach(id)));
  }
  for (const { path } of asked)
    expect(path).toMatch(/^\/agents\/fake\/(snapshots|sessions|runs)\/[^/?#]+(\/events)?$/);
  for (const id of ["..", ".", ""]) await errorOf(() => agent.deleteSession(id));
  expect(asked.every(({ method }) => method === "GET")).toBe(true);
});

test("headers may be made afresh for every request", async () => {
  const { url, asked } = await fakeServer((_asked, response) => json(response, 404, {}));
  let token = 0;
  const agent = remoteAgent({
    url,
    ports: HASTY,
    headers: async () => ({ authorization: `Bearer ${(token += 1)}` }),
  });
  await errorOf(() => agent.getSnapshot("s.1"));
  await errorOf(() => agent.getSnapshot("s.1"));
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
});
