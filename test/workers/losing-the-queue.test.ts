import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { textsOf, user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { collect, gateOf, until } from "../agent/life/waiting.ts";
import { type OwnServer, startOwnServer } from "../stores/redis/own-server.ts";
import { REDIS } from "./engines.ts";
import { Stage } from "./stage.ts";

const SESSIONS = ["a", "b", "c", "d", "e"];

const HARMS: Readonly<Record<string, (server: OwnServer, admin: Redis) => Promise<unknown>>> = {
  "lost all its keys": (_, admin) => admin.flushall(),
  "forgot its scripts": (_, admin) => admin.script("FLUSH"),
  "was killed, with nothing on its disk": async (server) => {
    await server.kill();
    await server.restart();
  },
};

test.skipIf(REDIS.url === "").each(Object.entries(HARMS))(
  "a queue that %s costs no turn, no event, and has nothing done twice",
  async (_, harm) => {
    const server = await startOwnServer([]);
    whenOver(server.stop);
    const admin = new Redis(server.url);
    admin.on("error", () => {});
    whenOver(() => admin.disconnect());
    const stage = await Stage.open({ name: "redis", url: server.url });
    const begun: string[] = [];
    const gate = gateOf();
    const worker = await stage.agent(async (text) => {
      begun.push(text);
      await gate.promise;
    });
    // Two turns under way and the others in the queue when it happens.
    await stage.startWorker(worker, { concurrency: 2, scanMs: 100, onError: () => {} });
    const detach = (sessionId: string) => stage.front.detach(user(sessionId), { sessionId });
    const runs = await Promise.all(SESSIONS.map(detach));
    await until(() => begun.length === 2);
    await harm(server, admin);
    gate.open();
    const late = await detach("late");
    for (const run of [...runs, late]) {
      expect(await run.wait()).toMatchObject({ status: "completed" });
      const ids = (await collect(stage.front.attach(run.runId))).map(({ seq }) => seq);
      expect(ids).toEqual(ids.map((_, index) => index + 1));
    }
    expect(begun.toSorted()).toEqual([...SESSIONS, "late"]);
    for (const sessionId of [...SESSIONS, "late"]) {
      const { state } = await stage.front.getLatestSnapshot(sessionId);
      expect(textsOf(state)).toEqual([sessionId, `re: ${sessionId}`]);
    }
  },
);
