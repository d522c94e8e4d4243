import { createHandler } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent, user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { slowAgent } from "../../agent/life/slow-agent.ts";
import { gateOf } from "../../agent/life/waiting.ts";
import { chooseSeed, SeededRandom } from "../../chaos/seeded-random.ts";
import { askHandler, run, served, STREAMED, turn, WIDE } from "../serving.ts";

const SUBMISSIONS = Number(process.env["TURNKEEP_SUBMISSIONS"] ?? 1000);
const SEED = chooseSeed(process.env["TURNKEEP_SEED"]);

describe.each(STORES)("clients whose answers get lost, over %s", (_, open) => {
  it(
    `begin one run for each key of ${SUBMISSIONS} (seed ${SEED})`,
    { timeout: 300_000 },
    async () => {
      const random = new SeededRandom(SEED);
      const agent = echoAgent({ store: await open() });
      const handler = createHandler([agent], { auth: "public", limits: WIDE });
      const submit = async (number: number): Promise<string> => {
        const isTurn = random.chance(0.3);
        const headers = { "idempotency-key": `key-${number}`, ...(random.chance(0.3) && STREAMED) };
        const text = `say ${number}`;
        for (let time = 0; ; time += 1) {
          const body = isTurn ? turn(text) : run(text);
          const path = isTurn ? "/agents/echo" : "/agents/echo/runs";
          const answer = await askHandler(handler, path, { body, headers });
          expect(answer.status, answer.text).toBeLessThan(300);
          // The answer was lost on its way, and the client tries again.
          if (random.chance(0.3) && time < 5) continue;
          return /"sessionId":"([^"]+)"/.exec(answer.text)?.[1] ?? "";
        }
      };
      const sessions = new Set<string>();
      for (let number = 0; number < SUBMISSIONS; number += 20) {
        const some = Array.from({ length: 20 }, (_, index) => submit(number + index));
        for (const sessionId of await Promise.all(some)) sessions.add(sessionId);
      }
      expect(sessions.size).toBe(SUBMISSIONS);
      let messages = 0;
      let count = 0;
      for (let after: string | undefined; ;) {
        const page = await agent.listSessions({
          limit: 200,
          ...(after !== undefined && { after }),
        });
        count += page.sessions.length;
        messages += page.sessions.reduce((sum, { messageCount }) => sum + messageCount, 0);
        after = page.next;
        if (after === undefined) break;
      }
      expect([count, messages]).toEqual([SUBMISSIONS, SUBMISSIONS * 2]);
      const other = { body: run("something else"), headers: { "idempotency-key": "key-0" } };
      expect((await askHandler(handler, "/agents/echo/runs", other)).status).toBe(422);
    },
  );
});

it("gives each of many clients its own answer", async () => {
  const { ask } = await served([echoAgent()]);
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      const headers = { "x-request-id": "the same", ...(index % 2 === 0 && STREAMED) };
      return await ask("/agents/echo", { body: turn(`canary-${index}.`), headers });
    }),
  );
  for (const [index, { text }] of answers.entries()) {
    expect(text.match(/CANARY-\d+\./g)).toContain(`CANARY-${index}.`);
    expect(new Set(text.match(/CANARY-\d+\./g)).size).toBe(1);
  }
  const ids = new Set(answers.map(({ headers }) => headers.get("x-request-id")));
  expect(ids.size).toBe(300);
});

it("answers a detached input that comes again as it was answered then", async () => {
  const gate = gateOf();
  const { ask } = await served([slowAgent({ store: new MemoryStore() }, () => gate.promise)]);
  for (const path of ["/agents/slow", "/agents/slow/runs"]) {
    const input = { ...user("later"), detach: true };
    const body = path.endsWith("runs") ? { input } : { data: input };
    const asked = { body, headers: { "idempotency-key": path, ...STREAMED } };
    const first = await ask(path, asked);
    const again = await ask(path, asked);
    expect(again.text).toContain('"finishReason":"detached"');
    expect(again.text).toBe(first.text);
  }
  gate.open();
});
