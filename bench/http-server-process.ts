import { HTTP_CONTENDERS } from "./http-contenders.ts";

// Serves one contender in a process of its own, so that its costs are its own. Tells its address, then its costs whenever it is asked.
const open = HTTP_CONTENDERS[process.argv[2] ?? ""];
if (open === undefined) throw new Error(`There is no contender "${process.argv[2]}".`);
const { url, close } = await open();

process.on("message", (word) => {
  if (word === "costs") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage().rss });
  } else {
    void Promise.resolve(close()).then(() => process.exit(0));
  }
});
process.send?.({ url });
