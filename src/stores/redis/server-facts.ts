import { isReply } from "./to-store-error.ts";

/** Asks one server. */
export type Ask = (command: string, values: readonly string[]) => Promise<unknown>;

/** What one server says of itself. */
export interface ServerFacts {
  readonly version: string;
  readonly isPrimary: boolean;
  readonly isClustered: boolean;
  readonly evictionPolicy: string;
  readonly writesLog: boolean;
  /** When the log is written through to the disk, or `undefined` when the server does not say. */
  readonly logSync: "always" | "sometimes" | undefined;
  /** Whether everybody who can reach the server may do everything. */
  readonly isOpenToAll: boolean;
}

/** Rejects with whatever the client says when the server is away or does not let itself be asked. */
export async function readServerFacts(ask: Ask, hasPassword: boolean): Promise<ServerFacts> {
  const info = toEntries(await ask("info", []));
  const settings = await readSettings(ask);
  return {
    version: info.get("redis_version") ?? "0",
    isPrimary: info.get("role") === "master",
    isClustered: info.get("cluster_enabled") === "1",
    evictionPolicy: info.get("maxmemory_policy") ?? "unknown",
    writesLog: info.get("aof_enabled") === "1",
    logSync: settings && toLogSync(settings),
    isOpenToAll: await isOpenToAll(ask, hasPassword),
  };
}

// Where others run the server, they often keep its settings to themselves.
async function readSettings(ask: Ask): Promise<ReadonlyMap<string, string> | undefined> {
  const names = ["appendfsync", "no-appendfsync-on-rewrite"];
  const settings = await unlessRefused(ask("config", ["get", ...names]));
  return settings === undefined ? undefined : toPairs(settings);
}

function toLogSync(settings: ReadonlyMap<string, string>): "always" | "sometimes" {
  const isAlways =
    settings.get("appendfsync") === "always" && settings.get("no-appendfsync-on-rewrite") === "no";
  return isAlways ? "always" : "sometimes";
}

async function isOpenToAll(ask: Ask, hasPassword: boolean): Promise<boolean> {
  const user = await unlessRefused(ask("acl", ["whoami"]));
  if (user !== undefined && user !== "default") return false;
  if (!hasPassword) return true;
  // A default user without a password takes any.
  const rights = await unlessRefused(ask("acl", ["getuser", "default"]));
  return JSON.stringify(rights ?? []).includes('"nopass"');
}

async function unlessRefused(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (!isReply(error)) throw error;
    return undefined;
  }
}

function toEntries(info: unknown): ReadonlyMap<string, string> {
  const lines = String(info).split("\r\n");
  return new Map(lines.map((line) => splitOnce(line, ":")));
}

function splitOnce(line: string, separator: string): readonly [string, string] {
  const place = line.indexOf(separator);
  return [line.slice(0, place), line.slice(place + 1)];
}

// A list of names and values, or an object where the client was told to make one.
function toPairs(answer: unknown): ReadonlyMap<string, string> {
  if (!Array.isArray(answer)) {
    return new Map(
      Object.entries(answer as Record<string, unknown>).map(([name, value]) => [
        name,
        String(value),
      ]),
    );
  }
  const list = answer.map(String);
  const pairs = new Map<string, string>();
  for (let index = 0; index < list.length; index += 2) {
    pairs.set(list[index] ?? "", list[index + 1] ?? "");
  }
  return pairs;
}
