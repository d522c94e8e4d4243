import { buildCustomAgent, type LocalAgent } from "turnkeep";
import { bullmqDispatcher } from "turnkeep/workers/bullmq";
import { expect, test } from "vitest";
import { textsOf, user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { databaseFile, openShared } from "../agent/life/stores.ts";
import { describeOnEach, type Engine, freshQueue } from "./engines.ts";
import { type CliProcess, modulePath, startCli } from "./start-cli.ts";

const LEASE_MS = 4000;
const LATEST_MS = LEASE_MS + 5000;

describeOnEach("processes of turnkeep worker", (engine) => {
  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "that get %s are replaced within a lease and 5 s",
    async (signal) => {
      const office = await Office.open(engine);
      const { worker, run } = await office.beginAndHang();
      worker.kill(signal);
      const before = performance.now();
      const [first] = textsOf((await run.wait()).state).slice(-1);
      const takeOverMs = Math.round(performance.now() - before);
      console.log(JSON.stringify({ engine: engine.name, signal, leaseMs: LEASE_MS, takeOverMs }));
      expect(takeOverMs).toBeLessThan(LATEST_MS);
      worker.kill("SIGCONT");
      // The one that was frozen finds out that the turn is another's, and changes nothing.
      if (signal === "SIGSTOP") await worker.said("stopped s TURN_TAKEN");
      expect(textsOf((await office.front.getLatestSnapshot("s")).state)).toEqual(["a", first]);
      expect(await office.front.listSnapshots("s")).toHaveLength(1);
    },
  );

  test("learn of an abort from another process within a second", async () => {
    const office = await Office.open(engine);
    const { worker, run } = await office.beginAndHang();
    const before = performance.now();
    expect(await run.abort()).toMatchObject({ status: "aborted" });
    await worker.said("stopped s RUN_ABORTED");
    const abortMs = Math.round(performance.now() - before);
    console.log(JSON.stringify({ engine: engine.name, abortMs }));
    expect(abortMs).toBeLessThan(1000);
  });

  test("hand over at once what they are in the middle of when they get SIGTERM", async () => {
    const office = await Office.open(engine);
    const { worker, run } = await office.beginAndHang();
    worker.kill("SIGTERM");
    const before = performance.now();
    const done = await run.wait();
    const handOverMs = Math.round(performance.now() - before);
    console.log(JSON.stringify({ engine: engine.name, handOverMs }));
    expect(await worker.ended).toBe(0);
    expect(done).toMatchObject({ status: "completed" });
    // Nobody waited for the lease, and no attempt was used up.
    expect(handOverMs).toBeLessThan(LEASE_MS - 500);
    await office.heir?.said("begun s 1");
  });
});

/** A front that sends turns away, and processes that work on them: one that never ends a turn by itself, and one that does. */
class Office {
  readonly front: LocalAgent;
  heir: CliProcess | undefined;
  readonly #database: string;
  readonly #flags: readonly string[];

  static async open(engine: Engine): Promise<Office> {
    const database = databaseFile();
    const queue = freshQueue(engine);
    const dispatcher = bullmqDispatcher({ connection: engine.url, queue });
    whenOver(() => dispatcher.close());
    const store = await openShared(database);
    const front = buildCustomAgent({ name: "clerk", store, dispatcher }, async () => {});
    return new Office(front, database, [`--${engine.name}`, engine.url, "--queue", queue]);
  }

  private constructor(front: LocalAgent, database: string, flags: readonly string[]) {
    this.front = front;
    this.#database = database;
    this.#flags = flags;
  }

  /** Lets one process begin a turn, and then has another stand by. */
  async beginAndHang(): Promise<{
    readonly worker: CliProcess;
    readonly run: Awaited<ReturnType<LocalAgent["detach"]>>;
  }> {
    const worker = this.#start({ isStubborn: true });
    await worker.said("ready");
    const run = await this.front.detach(user("a"), { sessionId: "s" });
    await worker.said("begun s 1");
    this.heir = this.#start({ isStubborn: false });
    await this.heir.said("ready");
    return { worker, run };
  }

  #start({ isStubborn }: { readonly isStubborn: boolean }): CliProcess {
    const settings = { database: this.#database, leaseMs: LEASE_MS, isStubborn };
    return startCli(["worker", modulePath("office.mjs"), ...this.#flags], {
      TURNKEEP_OFFICE: JSON.stringify(settings),
    });
  }
}
