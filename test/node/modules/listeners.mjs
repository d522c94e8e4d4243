// Listeners of all kinds, added before and after `closeOnSignals`. Prints what runs, in its order.
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { closeOnSignals } from "turnkeep/node";

const print = (line) => process.stdout.write(`${line}\n`);
const removed = () => print("removed");
const twice = () => print("twice");

process.on("SIGTERM", removed);
process.on("SIGTERM", (signal, code) => print(`on ${signal} ${code}`));
process.once("SIGTERM", () => print("once"));
process.on("SIGTERM", twice);
closeOnSignals({
  close: async ({ handOverMs }) => {
    print(`closing in ${handOverMs}`);
    await sleep(50);
    print("closed");
  },
});
process.prependListener("SIGTERM", twice);
process.on("SIGTERM", () => {
  throw new Error("A listener failed.");
});
process.once("uncaughtException", ({ message }) => print(message));
await sleep(0);
process.off("SIGTERM", removed);
print(`count ${process.listenerCount("SIGTERM")}`);
setInterval(() => {}, 1000);
print("ready");
