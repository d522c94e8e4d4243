import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import {
  createScope,
  createSessionKey,
  Ledger,
  SessionTree,
  type Work,
} from "../src/ledger/index.ts";

// A tour of the ledger: `npm start`. The same file is the worker that dies half-way: it is started again with a database to work on.
const LEASE_MS = 1000;
const key = createSessionKey(createScope("tour"), "guide", "visitor-1");

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "turnkeep-tour-"));
  const path = join(folder, "tour.db");
  const store = await openSqliteStore(path);
  const ledger = new Ledger({ store, leaseMs: LEASE_MS });
  const tree = new SessionTree(ledger);

  say("1. A conversation of two turns, kept in SQLite.");
  const first = await speak(ledger, "Where is my order?");
  await speak(ledger, "And when will it come?");

  say("2. The same question again, from the first snapshot on: a branch, not an overwrite.");
  await speak(ledger, "Can I still change it?", first);

  say("3. Another process begins a turn and is killed with kill -9 in the middle of it.");
  await dieHalfWay(path);

  say(`4. Its lease of ${LEASE_MS} ms runs out, and this process takes the turn over.`);
  await takeOver(ledger);

  say("5. What is kept: every snapshot, each message once.");
  for (const snapshot of await tree.list(key)) {
    const parent = snapshot.parentId?.slice(-6) ?? "none";
    console.log(`   ${snapshot.snapshotId.slice(-6)}  parent ${parent}  ${snapshot.status}`);
  }
  const head = await tree.findHead(key);
  for (const { role, content } of head?.content.messages ?? []) {
    console.log(`   ${role}: ${content.map((part) => ("text" in part ? part.text : "")).join("")}`);
  }

  await store.close();
  await rm(folder, { recursive: true });
}

async function speak(ledger: Ledger, text: string, parentId?: string): Promise<string> {
  const accepted = await ledger.accept(key, {
    input: text,
    begin: true,
    ...(parentId !== undefined && { parentId }),
  });
  if (accepted.kind !== "accepted" || !accepted.claim)
    throw new Error(`not begun: ${accepted.kind}`);
  await answer(ledger, await ledger.work(key, accepted.claim));
  return accepted.turn.snapshotId;
}

async function answer(ledger: Ledger, work: Work): Promise<void> {
  const text = work.inputs.map((input) => (typeof input === "string" ? input : "…")).join(" ");
  const reply = `You asked "${text}" (attempt ${work.claim.attempt})`;
  const finished = await ledger.finish(key, work, {
    status: "completed",
    finishReason: "stop",
    content: {
      messages: [
        ...(work.start?.content.messages ?? []),
        { role: "user", content: [{ text }] },
        { role: "model", content: [{ text: reply }] },
      ],
      artifacts: [],
    },
  });
  console.log(`   ${text} → ${finished.kind}`);
}

async function dieHalfWay(path: string): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
  console.log("   accepted, begun, killed");
}

async function takeOver(ledger: Ledger): Promise<void> {
  for (;;) {
    const claimed = await ledger.claim(key);
    if (claimed.kind === "claimed")
      return await answer(ledger, await ledger.work(key, claimed.claim));
    await setTimeout(100);
  }
}

async function workUntilKilled(path: string): Promise<void> {
  const ledger = new Ledger({ store: await openSqliteStore(path), leaseMs: LEASE_MS });
  await ledger.accept(key, { input: "Is anybody still there?", begin: true });
  process.stdout.write("begun\n");
  await setTimeout(60_000);
}

function say(text: string): void {
  console.log(`\n${text}`);
}

const [, , database] = process.argv;
await (database === undefined ? main() : workUntilKilled(database));
