import { createHandler, type HandlerOptions, type RouteGroup } from "turnkeep/http";
import { remoteAgent } from "turnkeep/client";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { ROUTE_GROUPS } from "../../src/http/route-groups.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { echoAgent } from "../agent/agents.ts";
import { slowAgent } from "../agent/life/slow-agent.ts";
import { gateOf } from "../agent/life/waiting.ts";
import { allFrames } from "./frames.ts";
import { type Ask, askHandler, byToken, run, served, turn, WIDE } from "./serving.ts";

const AT = "/agents/echo";
const LINES = { "content-type": "application/x-ndjson" };

/** Routes that reach a session by more than its name, or change it by more than a turn. */
const WITHHELD: readonly (readonly [RouteGroup, string, Ask])[] = [
  ["sessions", `${AT}/sessions`, {}],
  ["delete", `${AT}/sessions/s`, { method: "DELETE" }],
  ["export", `${AT}/sessions/s/export`, {}],
  ["import", `${AT}/sessions/s/import`, { body: "{}", headers: LINES }],
  ["labels", `${AT}/sessions/s/labels`, { body: { removeLabel: "mine" } }],
];

async function stage(options: Partial<HandlerOptions> = {}) {
  const agent = echoAgent({ store: new MemoryStore() });
  const { snapshotId = "" } = await agent.runText("hi", { sessionId: "s" });
  const errors: { readonly message: string; readonly requestId: string }[] = [];
  const handler = createHandler([agent], {
    auth: "public",
    limits: WIDE,
    onError: (error, { requestId }) => errors.push({ message: String(error), requestId }),
    ...options,
  });
  const ask = async (path: string, given?: Ask) => await askHandler(handler, path, given);
  return { agent, snapshotId, errors, ask };
}

describe("a public server", () => {
  it("answers turns, snapshots and aborts, to those who name a session", async () => {
    const { ask, snapshotId } = await stage();
    const asked: readonly (readonly [string, Ask])[] = [
      ["/agents", {}],
      [AT, {}],
      [AT, { body: turn("again", { sessionId: "s" }) }],
      [`${AT}/runs`, { body: run("more", { init: { sessionId: "s" } }) }],
      [`${AT}/getSnapshot`, { body: { data: { snapshotId } } }],
      [`${AT}/abort`, { body: { data: { snapshotId } } }],
      [`${AT}/snapshots/${snapshotId}`, {}],
      [`${AT}/snapshots/${snapshotId}/output`, {}],
      [`${AT}/snapshots/${snapshotId}/diff?to=${snapshotId}`, {}],
      [`${AT}/snapshots/${snapshotId}/abort`, { body: {} }],
      [`${AT}/sessions/s`, {}],
      [`${AT}/sessions/s/snapshots`, {}],
    ];
    for (const [path, given] of asked) {
      const { status, text } = await ask(path, given);
      expect(status, `${path}: ${text}`).toBeLessThan(300);
    }
  });

  it.each(WITHHELD)(
    "keeps %s to itself, and says why in its own log, once",
    async (group, path, given) => {
      const { agent, ask, errors } = await stage();
      const { status, body, text } = await ask(path, given);
      expect(status).toBe(group === "delete" ? 405 : 404);
      expect(text).not.toContain("routes");
      await ask(path, given);
      expect(errors).toEqual([
        {
          message: expect.stringMatching(`route group "${group}" is off.*'routes'`),
          requestId: body.requestId,
        },
      ]);
      expect((await agent.getLatestSnapshot("s")).status).toBe("completed");
    },
  );

  it("answers for a withheld route exactly as for a path that leads nowhere", async () => {
    const { ask } = await stage();
    const told = async (path: string): Promise<readonly unknown[]> => {
      const { status, body } = await ask(path);
      return [status, { ...body, requestId: "" }];
    };
    expect(await told(`${AT}/sessions`)).toEqual(await told(`${AT}/no-such-path`));
  });

  it("forks no session unless asked to", async () => {
    const { ask, snapshotId, errors } = await stage();
    const path = `${AT}/snapshots/${snapshotId}/fork`;
    expect((await ask(path, { body: {} })).status).toBe(404);
    expect(errors[0]?.message).toContain('"fork"');
    const open = await stage({ routes: ["fork"] });
    const forked = await open.ask(`${AT}/snapshots/${open.snapshotId}/fork`, { body: {} });
    expect(forked.status).toBe(201);
  });

  it("lets its callers rejoin a run of their own", async () => {
    const gate = gateOf();
    const agent = slowAgent({ store: new MemoryStore() }, () => gate.promise);
    const { open, url } = await served([agent], { routes: undefined });
    const remote = remoteAgent({ url: `${url}/agents/slow` });
    const detached = await remote.detach({
      message: { role: "user", content: [{ text: "go" }] },
    });
    const rejoined = open(`/agents/slow/runs/${detached.runId}/events`);
    gate.open();
    const frames = await allFrames(await rejoined);
    expect(frames.at(-1)).toMatchObject({ event: "result", data: { finishReason: "stop" } });
    expect(await detached.wait()).toMatchObject({ status: "completed" });
  });
});

describe("the routes of a server", () => {
  it("are all of them where callers sign in", async () => {
    const { ask } = await stage({ auth: byToken });
    const as = "acme/ann";
    await ask(AT, { as, body: turn("hi", { sessionId: "own" }) });
    const { body } = await ask(`${AT}/sessions`, { as });
    expect(body.sessions).toMatchObject([{ sessionId: "own" }]);
    expect((await ask(`${AT}/sessions/own`, { as, method: "DELETE" })).status).toBe(200);
  });

  it.each(WITHHELD)(
    "include %s on a public server that asks for it",
    async (group, path, given) => {
      const { ask, errors } = await stage({ routes: [group] });
      const { status } = await ask(path, given);
      // Only operators import, and nobody is one here.
      expect(status).toBe(group === "import" ? 403 : 200);
      expect(errors.filter(({ message }) => message.includes("is off"))).toEqual([]);
    },
  );

  it('are all of them with "all"', async () => {
    const { ask } = await stage({ routes: "all" });
    expect((await ask(`${AT}/sessions`)).body.sessions).toHaveLength(1);
    expect((await ask(`${AT}/sessions/s`, { method: "DELETE" })).status).toBe(200);
  });

  it("are no more than those asked for, whoever calls", async () => {
    const { ask } = await stage({ auth: byToken, routes: ["turn"] });
    const as = "acme/ann/operator";
    expect((await ask(AT, { as, body: turn("hi", { sessionId: "s" }) })).status).toBe(200);
    for (const path of ["/agents", AT, `${AT}/sessions`, `${AT}/sessions/s`]) {
      expect((await ask(path, { as })).status, path).toBe(path === AT ? 405 : 404);
    }
  });

  it("each belong to a group, and each group has some", () => {
    const used = new Set(ROUTES.map(({ group }) => group));
    expect([...used].toSorted()).toEqual([...ROUTE_GROUPS].toSorted());
  });

  it.each([
    [["session"], "Unknown route group `session`. Did you mean `sessions`?"],
    [["turn", "SNAPSHOT"], "Unknown route group `SNAPSHOT`. Did you mean `snapshots`?"],
    [["everything"], "Unknown route group `everything`. Expected one of `agents`, `turn`,"],
    [[7], "Unknown route group `7`."],
    ["turn", `'routes' must be a list of route groups, such as ["turn"], or "all".`],
    [null, "'routes' must be a list"],
  ])("refuse a choice that is none: %j", (routes, message) => {
    const options = { auth: "public", routes } as unknown as HandlerOptions;
    expect(() => createHandler([echoAgent()], options)).toThrow(message);
  });
});
