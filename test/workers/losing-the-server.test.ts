import type { WorkerTrouble } from "turnkeep/workers/bullmq";
import { expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { gateOf, until } from "../agent/life/waiting.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { describeOnEach, type Engine } from "./engines.ts";
import { Stage } from "./stage.ts";

const NEVER_MS = 600_000;

describeOnEach("a worker whose server goes away", (engine) => {
  test("reports it once a second, and takes jobs again when the server is back", async () => {
    const { proxy, stage } = await openStage(engine);
    const troubles: WorkerTrouble[] = [];
    const onError = (trouble: WorkerTrouble): void => void troubles.push(trouble);
    const gate = gateOf();
    let isAtWork = false;
    const meanwhile = async (): Promise<void> => {
      isAtWork = true;
      await gate.promise;
    };
    await stage.startWorker(await stage.agent(meanwhile), { scanMs: NEVER_MS, onError });
    // In the middle of a turn, when a worker does not wait for jobs but asks for them.
    const before = await stage.front.detach(user("before"), { sessionId: "s" });
    await until(() => isAtWork);
    const awaySince = performance.now();
    proxy.traffic = "refuse";
    gate.open();
    await before.wait();
    await until(() => troubles.length > 1);
    proxy.traffic = "pass";
    const seconds = (performance.now() - awaySince) / 1000;
    const reports = troubles.length;
    const errors = troubles.reduce((sum, { more }) => sum + 1 + more, 0);
    console.log(JSON.stringify({ engine: engine.name, seconds, reports, errors }));
    expect(reports).toBeLessThanOrEqual(seconds + 1);
    expect(errors).toBeLessThan(50 * seconds);
    // Nobody looks for it: it is done only if jobs arrive again.
    await until(async () => {
      const sessionId = `s-${performance.now()}`;
      const run = await stage.front.detach(user("after"), { sessionId });
      const patience = AbortSignal.timeout(5000);
      return await run.wait({ signal: patience }).then(
        () => true,
        () => false,
      );
    });
  });

  test("works on in the meantime: it looks for turns by itself", async () => {
    const { proxy, stage } = await openStage(engine);
    await stage.startWorker(await stage.agent(), { scanMs: 100 });
    proxy.traffic = "refuse";
    const run = await stage.front.detach(user("a"), { sessionId: "s" });
    expect(await run.wait()).toMatchObject({ status: "completed" });
    proxy.traffic = "pass";
  });
});

/** A stage whose queue can be cut off. */
async function openStage(engine: Engine): Promise<{ proxy: FaultProxy; stage: Stage }> {
  const proxy = await FaultProxy.start(Number(new URL(engine.url).port));
  whenOver(() => proxy.stop());
  return { proxy, stage: await Stage.open({ ...engine, url: proxy.addressFor(engine.url) }) };
}
