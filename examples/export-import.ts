import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { openSqliteStore } from "turnkeep/stores/sqlite";

// A session with all its branches as one file of lines, taken from one store to another.
function defineDiary(store: SessionStore): LocalAgent {
  return defineCustomAgent({ name: "diary", store }, async ({ session }) => {
    await session.run(() => {
      session.addMessages({ role: "model", content: [{ text: "Written down." }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

const folder = await mkdtemp(join(tmpdir(), "turnkeep-example-"));
const file = join(folder, "diary.jsonl");

const here = defineDiary(new MemoryStore());
const monday = await here.runText("Monday: rain", { sessionId: "me" });
await here.runText("Tuesday: rain", { sessionId: "me" });
await here.runText("Tuesday, or was it: sun", { snapshotId: monday.snapshotId ?? "" });

await writeFile(file, here.exportSession("me"));
console.log("exported", (await stat(file)).size > 0 ? "a file" : "nothing");

const store = await openSqliteStore(join(folder, "there.db"));
const there = defineDiary(store);
const lines = createInterface({ input: createReadStream(file) });
const imported = await there.importSession("me", lines);
console.log(imported.kind, imported.kind === "imported" ? `${imported.snapshots} snapshots` : "");

const { state } = await there.getLatestSnapshot("me");
console.log(state?.messages?.map(({ content }) => content[0]?.text).join(" | "));
const { message } = await there.runText("Wednesday: back to work", { sessionId: "me" });
console.log("and goes on:", message?.content[0]?.text);

// A session that is there is never overwritten.
const again = await there.importSession("me", here.exportSession("me"));
console.log("once more:", again.kind);

await there.startWorker().stop();
await store.close();
await rm(folder, { recursive: true });
