import pg from "pg";
import { startWorker, type WorkerTrouble } from "turnkeep/workers/bullmq";
import { expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { sleep, until } from "../agent/life/waiting.ts";
import { describeOnEach, POSTGRES } from "./engines.ts";
import { freshDatabase } from "./fresh-database.ts";
import { Proxy } from "./proxy.ts";
import { Stage } from "./stage.ts";

const NEVER_MS = 600_000;
const AWAY_MS = 3000;

describeOnEach("a worker whose server goes away", (engine) => {
  test("reports it once a second, and takes jobs again when the server is back", async () => {
    const proxy = await Proxy.open(engine.url);
    const stage = await Stage.open({ ...engine, url: proxy.url });
    const troubles: WorkerTrouble[] = [];
    const onError = (trouble: WorkerTrouble): void => void troubles.push(trouble);
    await stage.startWorker(await stage.agent(), { scanMs: NEVER_MS, onError });
    await (await stage.front.detach(user("before"), { sessionId: "s" })).wait();
    proxy.cut();
    await sleep(AWAY_MS);
    proxy.restore();
    const seconds = AWAY_MS / 1000;
    const reports = troubles.length;
    const errors = troubles.reduce((sum, { more }) => sum + 1 + more, 0);
    console.log(JSON.stringify({ engine: engine.name, seconds, reports, errors }));
    expect(reports).toBeGreaterThan(0);
    expect(reports).toBeLessThanOrEqual(seconds + 1);
    expect(errors).toBeLessThan(50 * seconds);
    // Nobody looks for it: it is done only if jobs arrive again.
    await until(
      async () => {
        const sessionId = `s-${performance.now()}`;
        const run = await stage.front.detach(user("after"), { sessionId });
        const patience = AbortSignal.timeout(1000);
        return await run.wait({ signal: patience }).then(
          () => true,
          () => false,
        );
      },
      { withinMs: 15_000 },
    );
  });

  test("works on in the meantime: it looks for turns by itself", async () => {
    const proxy = await Proxy.open(engine.url);
    const stage = await Stage.open({ ...engine, url: proxy.url });
    await stage.startWorker(await stage.agent(), { scanMs: 100 });
    proxy.cut();
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    expect(await run.wait()).toMatchObject({ status: "completed" });
    proxy.restore();
  });
});

test.skipIf(POSTGRES.url === "")(
  "a worker whose tables are gone raises no storm of errors",
  async () => {
    const stage = await Stage.open(POSTGRES);
    const connection = await freshDatabase();
    const troubles: WorkerTrouble[] = [];
    const worker = await startWorker({
      agents: [await stage.agent()],
      connection,
      onError: (trouble) => troubles.push(trouble),
    });
    const client = new pg.Client(connection);
    await client.connect();
    await client.query("drop schema bullmq cascade");
    // Wakes a worker that waits for jobs.
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await client.end();
    await sleep(AWAY_MS);
    const errors = troubles.reduce((sum, { more }) => sum + 1 + more, 0);
    console.log(
      JSON.stringify({ tables: "gone", seconds: AWAY_MS / 1000, reports: troubles.length, errors }),
    );
    expect(errors).toBeGreaterThan(0);
    expect(errors).toBeLessThan(50 * (AWAY_MS / 1000));
    await worker.stop();
  },
);
