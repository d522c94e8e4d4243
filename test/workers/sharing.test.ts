import type { LocalAgent } from "turnkeep";
import { expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { gateOf, sleep, until } from "../agent/life/waiting.ts";
import { describeOnEach, REDIS } from "./engines.ts";
import { Stage } from "./stage.ts";

const NOISY_SESSIONS = 100;

describeOnEach("one worker", (engine) => {
  test("works on no more sessions of a tenant than it may, and does not let one that is noisy hold up another", async () => {
    const stage = await Stage.open(engine);
    const crowd = new Crowd();
    const gate = gateOf();
    const agent = await stage.agent(async (text) => {
      await crowd.visit(text, text === "noisy" ? gate.promise : undefined);
    });
    const noisy = await detachMany(stage.front, NOISY_SESSIONS, "noisy");
    await stage.startWorker(agent, { concurrency: 6, perTenant: 4 });
    await until(() => crowd.present("noisy") === 4);
    const quiet = await stage.front.detach(user("quiet"), { sessionId: "q", tenant: "quiet" });
    await quiet.wait();
    gate.open();
    for (const run of noisy) await run.wait();
    expect(crowd.most("noisy")).toBe(4);
  });

  test("works on no more sessions than it may, of all and of one agent, however they are found", async () => {
    const stage = await Stage.open(engine);
    const crowd = new Crowd();
    const gate = gateOf();
    const meanwhile = (text: string): Promise<void> => crowd.visit(text, gate.promise);
    const names = ["one", "two", "three"];
    const agents = await Promise.all(names.map((name) => stage.agent(meanwhile, name)));
    const runs = (
      await Promise.all(agents.map((agent) => detachMany(agent, 10, agent.name)))
    ).flat();
    await stage.startWorker(agents, { concurrency: 5, perAgent: 2, scanMs: 50 });
    await until(() => crowd.mostOfAll === 5);
    gate.open();
    for (const run of runs) await run.wait();
    expect(crowd.mostOfAll).toBe(5);
    for (const name of names) expect(crowd.most(name)).toBeLessThanOrEqual(2);
  });
});

test.skipIf(REDIS.url === "")(
  "limits that are no whole numbers of at least 1 are refused",
  async () => {
    const stage = await Stage.open(REDIS);
    const agent = await stage.agent();
    for (const limits of [{ concurrency: 0 }, { perTenant: 1.5 }, { perAgent: Number.NaN }]) {
      await expect(stage.startWorker(agent, limits)).rejects.toMatchObject({
        status: "INVALID_ARGUMENT",
      });
    }
  },
);

async function detachMany(
  agent: LocalAgent,
  count: number,
  tenant: string,
): Promise<readonly { readonly wait: () => Promise<unknown> }[]> {
  const runs = [];
  for (let index = 0; index < count; index += 1) {
    runs.push(await agent.detach(user(tenant), { sessionId: `s-${index}`, tenant }));
  }
  return runs;
}

/** Counts who is there at once, by name. */
class Crowd {
  readonly #present = new Map<string, number>();
  readonly #most = new Map<string, number>();
  mostOfAll = 0;

  async visit(name: string, stay?: Promise<void>): Promise<void> {
    this.#change(name, 1);
    await stay;
    await sleep(5);
    this.#change(name, -1);
  }

  present(name: string): number {
    return this.#present.get(name) ?? 0;
  }

  most(name: string): number {
    return this.#most.get(name) ?? 0;
  }

  #change(name: string, by: number): void {
    this.#present.set(name, this.present(name) + by);
    this.#most.set(name, Math.max(this.most(name), this.present(name)));
    const all = [...this.#present.values()].reduce((sum, count) => sum + count, 0);
    this.mostOfAll = Math.max(this.mostOfAll, all);
  }
}
