import { mkdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { TurnkeepError } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { defineCompanion } from "./chat/define-companion.ts";
import { drawTree, lastSaid, pathTo, textOf } from "./chat/history.ts";

// Somebody to talk to, who is still there, and remembers, when you come back.
const SESSION = "me";
const HELP = "  /history  /back N  /forget  /quit    Ctrl-C stops an answer, Ctrl-D ends the talk";

await mkdir(".turnkeep", { recursive: true, mode: 0o700 });
const store = await openSqliteStore(".turnkeep/chat.db");
const companion = defineCompanion(store);

/** Where the next message goes on; at the head when absent. */
let branchAt: string | undefined;
/** The run that is answering now. */
let answering: string | undefined;

const COMMANDS: Readonly<Record<string, (argument: string) => Promise<void>>> = {
  "/history": showHistory,
  "/back": goBack,
  "/forget": forget,
};

await greet();
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "you> " });
let isOpen = true;
terminal.on("close", () => (isOpen = false));
terminal.on("SIGINT", stop);
process.on("SIGINT", stop);
ask();
for await (const line of terminal) {
  // Nobody typed it, so nobody has seen it yet.
  if (!process.stdin.isTTY) console.log(line);
  const [command = "", argument = ""] = line.trim().split(/\s+/);
  if (command === "/quit") break;
  if (command.startsWith("/")) await (COMMANDS[command] ?? showHelp)(argument);
  else if (command !== "") await talk(line.trim());
  ask();
}
terminal.close();
console.log("\nGoodbye. I keep everything.");
await companion.startWorker().stop();
await store.close();

function ask(): void {
  if (isOpen) terminal.prompt();
}

async function talk(text: string): Promise<void> {
  const place = branchAt === undefined ? { sessionId: SESSION } : { snapshotId: branchAt };
  const { runId, chunks, output } = companion.streamText(text, place);
  answering = runId;
  process.stdout.write("  ~ ");
  for await (const { modelChunk } of chunks) {
    for (const { text: words = "" } of modelChunk?.content ?? []) process.stdout.write(words);
  }
  const { finishReason, error } = await output;
  answering = undefined;
  if (finishReason === "stop") branchAt = undefined;
  console.log(finishReason === "aborted" ? "… (stopped)" : (error?.message ?? ""));
}

async function greet(): Promise<void> {
  const latest = await companion.getLatestSnapshot(SESSION).catch((error: unknown) => {
    if (TurnkeepError.is(error) && error.status === "NOT_FOUND") return undefined;
    throw error;
  });
  const { messages = [], custom } = latest?.state ?? {};
  if (latest === undefined) {
    console.log('Hello. Tell me things: "my name is …", "remember …". Ask: "what do you know?"');
  } else {
    const turns = messages.filter(({ role }) => role === "user").length;
    const name = custom?.name === undefined ? "" : `, ${custom.name}`;
    console.log(`Welcome back${name}. We are ${turns} ${turns === 1 ? "turn" : "turns"} in.`);
    console.log(`  You said "${lastSaid(latest, "user")}", and I: "${textOf(messages.at(-1))}"`);
  }
  console.log(HELP);
}

async function showHistory(): Promise<void> {
  const lines = await drawTree(companion, SESSION, await findPlace());
  console.log(lines.length === 0 ? "  Nothing was said yet." : lines.join("\n"));
}

async function goBack(argument: string): Promise<void> {
  const turns = Number(argument);
  const path = await pathTo(companion, SESSION, await findPlace());
  const target = Number.isInteger(turns) && turns > 0 ? path[turns] : undefined;
  if (target === undefined) {
    const most = Math.max(path.length - 1, 0);
    console.log(`  I can go back ${most} ${most === 1 ? "turn" : "turns"} at most: /back N.`);
    return;
  }
  branchAt = target.snapshotId;
  const said = lastSaid(await companion.getSnapshot(branchAt), "user");
  console.log(`  Back where you said "${said}". What came after it stays, on a branch.`);
}

async function forget(): Promise<void> {
  branchAt = undefined;
  const isForgotten = await companion.deleteSession(SESSION);
  console.log(isForgotten ? "  All of it is gone. Who are you?" : "  There is nothing to forget.");
}

async function showHelp(): Promise<void> {
  console.log(HELP);
}

async function findPlace(): Promise<string | undefined> {
  const { sessions } = await companion.listSessions();
  return branchAt ?? sessions.find(({ sessionId }) => sessionId === SESSION)?.snapshotId;
}

function stop(): void {
  if (answering === undefined) terminal.close();
  else void companion.abort(answering);
}
