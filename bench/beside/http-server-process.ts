import { loadContender } from "../contenders/contenders.ts";
import { ScriptedModel } from "../contenders/scripted-model.ts";

// Serves one contender in a process of its own, so that its costs are its own. Tells its address, then its costs whenever it is asked.
const { open } = await loadContender(process.argv[2] ?? "");
const opened = await open({ store: "memory", model: new ScriptedModel() });
if (opened.serve === undefined) throw new Error("It serves nothing.");
const { url, close } = await opened.serve();

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
process.on("disconnect", () => process.exit(0));
process.send?.({ url });
