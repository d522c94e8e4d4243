import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { defineCustomAgent, type Dispatcher, type LocalAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { bullmqDispatcher, startWorker } from "turnkeep/workers/bullmq";

// A front that takes turns in and a worker that works on them. Here both are in one process; usually each is one of several, and the worker
// is started with `turnkeep worker agents.js`. They meet in a store and in a queue, here on Redis: set QUEUE_URL to say where.
const connection = process.env["QUEUE_URL"] ?? "redis://localhost:6379";
const folder = await mkdtemp(join(tmpdir(), "turnkeep-workers-"));
const dispatcher = bullmqDispatcher({ connection, queue: "turnkeep-example" });

// The same definition on both sides. What differs is who runs it.
async function defineBaker(dispatcher: Dispatcher, side: string): Promise<LocalAgent> {
  const store = await openSqliteStore(join(folder, "bakery.db"));
  return defineCustomAgent({ name: "baker", store, dispatcher }, async ({ session }) => {
    await session.run(({ message }) => {
      const order = message?.content[0]?.text ?? "";
      session.addMessages({ role: "model", content: [{ text: `${order}, baked ${side}` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

const front = await defineBaker(dispatcher, "at the front");
const worker = await startWorker({
  agents: [await defineBaker(dispatcher, "by the worker")],
  concurrency: 4,
  perTenant: 2,
});

// Resolves when the order is in the store. The queue is told the session's name, and nothing of the order.
const order = { message: { role: "user" as const, content: [{ text: "bread" }] } };
const detached = await front.detach(order, { sessionId: "table-1" });
const done = await detached.wait();
console.log("detached:", done.state?.messages?.at(-1)?.content[0]?.text);

// Turns that somebody waits for stay where the caller is.
const { message } = await front.runText("cake", { sessionId: "table-2" });
console.log("waited for:", message?.content[0]?.text);

// Hands over what is under way, here nothing.
await worker.stop();
await dispatcher.close();
await rm(folder, { recursive: true, force: true });
console.log("closed");
