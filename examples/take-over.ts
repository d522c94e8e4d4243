import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defineCustomAgent, type LocalAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

// A process is killed with SIGKILL in the middle of a turn; another one finishes it. What was done already is not done again.
// This file is both: started with a folder to work in, it is the one that dies.
const [, , given] = process.argv;
const folder = given ?? (await mkdtemp(join(tmpdir(), "turnkeep-example-")));
const letters = join(folder, "letters.txt");
const store = await openSqliteStore(join(folder, "office.db"));

function definePostman(name: string): LocalAgent {
  // A short lease, so that nobody has to wait long to see it run out.
  const options = { name: "postman", store, limits: { leaseMs: 1000 } };
  return defineCustomAgent(options, async ({ session }) => {
    await session.run(async ({ message }, turn) => {
      const text = message?.content[0]?.text ?? "";
      const sent = await turn.step({ name: "send", input: text }, async () => {
        await appendFile(letters, `${text}, sent by the ${name}\n`);
        return `sent by the ${name}`;
      });
      if (name === "child") {
        process.stdout.write("sent\n");
        await setTimeout(60_000, undefined, { signal: turn.signal });
      }
      const answer = `${sent}, finished by the ${name} at attempt ${turn.attempt}`;
      session.addMessages({ role: "model", content: [{ text: answer }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

if (given === undefined) await main();
else await definePostman("child").runText("A letter", { sessionId: "office" });

async function main(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  console.log("The child sent the letter and was killed before it could say so.");

  // From its definition on, an agent with a store looks for turns whose worker has gone silent.
  const postman = definePostman("parent");
  const [begun] = await postman.listSnapshots("office");
  console.log("Its turn is", begun?.status);
  const { status, state } = await postman.waitFor(begun?.snapshotId ?? "");
  console.log("Now it is", `${status}:`, state?.messages?.at(-1)?.content[0]?.text);
  console.log("Letters:", (await readFile(letters, "utf8")).trim().split("\n").length);

  await postman.startWorker().stop();
  await store.close();
  await rm(folder, { recursive: true });
}
