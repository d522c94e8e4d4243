import { readdirSync, readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { Client } from "pg";

// What Linux counts CPU time in.
const TICK_MS = 10;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

/** CPU time of a process and its children, those that have ended included. From /proc, so on Linux only. */
export function cpuMsOf(pid: number): number {
  const all = readdirSync("/proc").flatMap((name) => timesOf(Number(name)));
  return all
    .filter((one) => one.pid === pid || one.parent === pid)
    .reduce((sum, { ownMs, endedMs }) => sum + ownMs + endedMs, 0);
}

function timesOf(pid: number): readonly ProcessTimes[] {
  if (Number.isNaN(pid)) return [];
  try {
    // The name, in brackets, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const at = (place: number): number => Number(fields[place]);
    const ownMs = TICK_MS * (at(11) + at(12));
    return [{ pid, parent: at(1), ownMs, endedMs: TICK_MS * (at(13) + at(14)) }];
  } catch {
    // It ended while we looked.
    return [];
  }
}

/** How many connections of stores a server has. */
export async function connectionsTo(url: string): Promise<number> {
  if (url.startsWith("redis:")) {
    const redis = new Redis(url);
    const clients = String(await redis.client("LIST"))
      .trim()
      .split("\n");
    redis.disconnect();
    return clients.length - 1;
  }
  const client = new Client(url);
  await client.connect();
  const sql =
    "select count(*)::int as count from pg_stat_activity where application_name = 'turnkeep'";
  const { rows } = await client.query<{ count: number }>(sql);
  await client.end();
  return rows[0]?.count ?? 0;
}
