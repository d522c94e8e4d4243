import { HTTP_CONTENDERS } from "./http-contenders.ts";

// Serves one contender in a process of its own, so that its costs are its own. Tells its address, then its costs whenever it is asked.
const open = HTTP_CONTENDERS[process.argv[2] ?? ""];
if (open === undefined) throw new Error(`There is no contender "${process.argv[2]}".`);
const { url, close } = await open();

let mostRssBytes = 0;
setInterval(() => {
  mostRssBytes = Math.max(mostRssBytes, process.memoryUsage.rss());
}, 20);

process.on("message", (word) => {
  if (word === "costs") {
    const { user, system } = process.cpuUsage();
    const rssBytes = process.memoryUsage.rss();
    process.send?.({ cpuMs: (user + system) / 1000, rssBytes, mostRssBytes });
    mostRssBytes = 0;
  } else {
    void Promise.resolve(close()).then(() => process.exit(0));
  }
});
process.send?.({ url });
