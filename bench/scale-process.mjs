// Takes turns as fast as they come, in a process of its own, so that its costs are its own. Plain JavaScript on the built package.
import { setImmediate } from "node:timers/promises";
import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openPlace } from "../test/support/places/open-place.mjs";

const { settings, name, concurrency, said } = JSON.parse(process.argv[2]);
const TURNS_PER_SESSION = 20;

const store = settings === null ? new MemoryStore() : await openPlace(settings);
const echo = defineCustomAgent({ name: "echo", store }, async ({ session, respond }) => {
  await session.run(() => {
    respond.text(said.model);
    session.addMessages({ role: "model", content: [{ text: said.model }] });
    return { finishReason: "stop" };
  });
  return session.result();
});

let turns = 0;
let times = [];
const over = new AbortController();
let since = { at: performance.now(), cpu: process.cpuUsage() };

async function talk(talker) {
  for (let turn = 0; !over.signal.aborted; turn += 1) {
    const begin = performance.now();
    const sessionId = `${name}-${talker}-${Math.floor(turn / TURNS_PER_SESSION)}`;
    const { finishReason } = await echo.runText(said.user, { sessionId });
    if (finishReason !== "stop") throw new Error(`A turn ended as ${finishReason}.`);
    times.push(performance.now() - begin);
    turns += 1;
    // Where nothing waits for a disk, nobody else would get a turn.
    await setImmediate();
  }
}

const talks = Promise.all(Array.from({ length: concurrency }, (_, talker) => talk(talker)));

/** What was done since it was asked last. */
function costs() {
  const { user, system } = process.cpuUsage(since.cpu);
  const now = { at: performance.now(), cpu: process.cpuUsage() };
  const answer = { seconds: (now.at - since.at) / 1000, cpuMs: (user + system) / 1000, times };
  times = [];
  since = now;
  return answer;
}

async function stop() {
  over.abort();
  await talks;
  await echo.startWorker().stop();
  const bytes = settings === null ? store.storedBytes() : null;
  await store.close();
  process.send({ turns, bytes });
  process.disconnect();
}

process.on("message", (word) => {
  if (word === "costs") process.send(costs());
  else void stop();
});
process.send("ready");
