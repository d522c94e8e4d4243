// A server with a long session and one turn under way, in a process of its own. Plain JavaScript on the built package.
import { defineCustomAgent } from "turnkeep";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";

const { file, turns } = JSON.parse(process.argv[2]);

const store = file === null ? new MemoryStore() : await openSqliteStore(file);
const slow = defineCustomAgent({ name: "slow", store }, async ({ session }) => {
  await session.run(async ({ message }, { signal }) => {
    const isWaiting = message?.content[0]?.text === "wait";
    if (isWaiting) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    session.addMessages({ role: "model", content: [{ text: "x".repeat(500) }] });
    return { finishReason: "stop" };
  });
  return session.result();
});

const busy = { sessionId: "long", tenant: "acme/busy" };
for (let turn = 0; turn < turns; turn += 1) await slow.runText("hi", busy);
const { snapshotId } = await slow.detach(
  { message: { role: "user", content: [{ text: "wait" }] } },
  busy,
);
await slow.runText("hi", { sessionId: "short", tenant: "acme/other" });

const server = await serve([slow], {
  port: 0,
  routes: "all",
  auth: ({ headers }) => ({ tenant: "acme", principal: headers.get("x-who") ?? "nobody" }),
  limits: { readsPerSecond: 1e6, readBurst: 1e6 },
});
process.send({ url: server.url, snapshotId });
