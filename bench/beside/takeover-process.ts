import { openWorker, type TakeoverPlace } from "./takeover-worker.ts";

// The worker that is going to be killed: it never gets any further than the beginning.
const place = JSON.parse(process.argv[2] ?? "") as TakeoverPlace;
const agent = await openWorker(place, async () => {
  process.send?.("begun");
  await new Promise(() => {});
});
process.on("disconnect", () => process.exit(0));
agent.startWorker();
await agent.detach({ message: { role: "user", content: [{ text: "work" }] } });
