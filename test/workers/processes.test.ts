import { buildCustomAgent, type LocalAgent } from "turnkeep";
import { bullmqDispatcher } from "turnkeep/workers/bullmq";
import { expect, test } from "vitest";
import { textsOf, user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { databaseFile, openShared } from "../agent/life/stores.ts";
import { LONG_LEASE_MS } from "../agent/life/waiting.ts";
import { describeOnEach, type Engine, freshQueue } from "./engines.ts";
import { type CliProcess, modulePath, startCli } from "./start-cli.ts";

const SHORT_LEASE_MS = 1500;

describeOnEach("processes of turnkeep worker", (engine) => {
  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "that get %s are replaced when their lease is over",
    async (signal) => {
      const office = await Office.open(engine, SHORT_LEASE_MS);
      const { worker, run } = await office.beginAndHang();
      worker.kill(signal);
      const [first] = textsOf((await run.wait()).state).slice(-1);
      worker.kill("SIGCONT");
      // The one that was frozen finds out that the turn is another's, and changes nothing.
      if (signal === "SIGSTOP") await worker.said("stopped s TURN_TAKEN");
      expect(textsOf((await office.front.getLatestSnapshot("s")).state)).toEqual(["a", first]);
      expect(await office.front.listSnapshots("s")).toHaveLength(1);
    },
  );

  test("learn of an abort from another process, and not by their lease", async () => {
    const office = await Office.open(engine, LONG_LEASE_MS);
    const { worker, run } = await office.beginAndHang();
    expect(await run.abort()).toMatchObject({ status: "aborted" });
    await worker.said("stopped s RUN_ABORTED");
  });

  test("hand over at once what they are in the middle of when they get SIGTERM", async () => {
    // Nobody waits for the lease, and no attempt is used up.
    const office = await Office.open(engine, LONG_LEASE_MS);
    const { worker, run } = await office.beginAndHang();
    worker.kill("SIGTERM");
    const done = await run.wait();
    expect(await worker.ended).toBe(0);
    expect(done).toMatchObject({ status: "completed" });
    await office.heir?.said("begun s 1");
  });
});

/** A front that sends turns away, and processes that work on them: one that never ends a turn by itself, and one that does. */
class Office {
  readonly front: LocalAgent;
  heir: CliProcess | undefined;
  readonly #settings: { readonly database: string; readonly leaseMs: number };
  readonly #flags: readonly string[];

  static async open(engine: Engine, leaseMs: number): Promise<Office> {
    const database = databaseFile();
    const queue = freshQueue(engine);
    const dispatcher = bullmqDispatcher({ connection: engine.url, queue });
    whenOver(() => dispatcher.close());
    const store = await openShared(database);
    const front = buildCustomAgent({ name: "clerk", store, dispatcher }, async () => {});
    const flags = [`--${engine.name}`, engine.url, "--queue", queue];
    return new Office(front, { database, leaseMs }, flags);
  }

  private constructor(
    front: LocalAgent,
    settings: { readonly database: string; readonly leaseMs: number },
    flags: readonly string[],
  ) {
    this.front = front;
    this.#settings = settings;
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
    const settings = { ...this.#settings, isStubborn };
    return startCli(["worker", modulePath("office.mjs"), ...this.#flags], {
      TURNKEEP_OFFICE: JSON.stringify(settings),
    });
  }
}
