import { MemoryStore } from "turnkeep/stores/memory";
import type { ClientPorts } from "turnkeep/client";
import { expect, test } from "vitest";
import { user } from "../agent/agents.ts";
import { chattyAgent } from "../agent/life/chatty-agent.ts";
import { collect, until } from "../agent/life/waiting.ts";
import { behindHttp, HASTY } from "./remote.ts";

test("whoever leaves leaves nothing behind: no timer, no connection", async () => {
  const waiting = new Set<object>();
  let open = 0;
  const ports: ClientPorts = {
    ...HASTY,
    after: (milliseconds, call) => {
      const timer = {};
      waiting.add(timer);
      const cancel = HASTY.after(milliseconds, () => {
        waiting.delete(timer);
        call();
      });
      return () => {
        waiting.delete(timer);
        cancel();
      };
    },
  };
  const agent = await behindHttp(chattyAgent({ store: new MemoryStore() }), {
    ports,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      open += 1;
      init.signal?.addEventListener("abort", () => (open -= 1));
      return response;
    },
  });
  const { runId, snapshotId } = await agent.detach(user("go"), { sessionId: "s" });
  for await (const { seq } of agent.attach(runId)) if (seq === 3) break;
  const stop = new AbortController();
  const reading = collect(agent.attach(runId, { signal: stop.signal })).catch(
    (error: unknown) => error,
  );
  const waited = agent
    .waitFor(snapshotId, { signal: stop.signal })
    .catch((error: unknown) => error);
  await until(() => waiting.size > 1);
  stop.abort("enough");
  expect(await Promise.all([reading, waited])).toEqual(["enough", "enough"]);
  const connection = agent.connect({ sessionId: "other" });
  await connection.sendText("go");
  for await (const { modelChunk } of connection.receive()) if (modelChunk) break;
  await connection.detach();
  expect((await connection.output()).finishReason).toBe("detached");
  for await (const _ of agent.exportSession("s")) break;
  await agent.runText("go", { sessionId: "third" });
  await until(() => waiting.size === 0 && open === 0);
});
