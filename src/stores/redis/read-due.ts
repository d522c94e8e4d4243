import type { DueQuery, SessionKey } from "../../ledger/index.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { type RedisKeys, sessionFromName } from "./redis-keys.ts";
import { defineScript, type RedisScript } from "./redis-script.ts";

/** Key: the bucket's index. Values: the time, or nothing for the server's own; limit; agents as JSON, or nothing for all. */
export const DUE_SCRIPT: RedisScript = defineScript(
  "reads",
  `
local now, limit, agents = tonumber(ARGV[1]), tonumber(ARGV[2]), nil
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
if ARGV[3] ~= '' then
  agents = {}
  for _, agent in ipairs(cjson.decode(ARGV[3])) do agents[agent] = true end
end

local found, start = {}, 0
while true do
  local page = redis.call('ZRANGE', KEYS[1], start, start + 63, 'WITHSCORES')
  for index = 1, #page, 2 do
    if tonumber(page[index + 1]) > now then return found end
    if not agents or agents[string.match(page[index], '^[^:]*:([^:]*)')] then
      found[#found + 1] = page[index]
      found[#found + 1] = page[index + 1]
      if #found >= 2 * limit then return found end
    end
  end
  if #page < 128 then return found end
  start = start + 64
end
`,
);

interface DueSession {
  readonly name: string;
  readonly time: number;
}

/** The longest due sessions of all buckets. Each bucket goes by the clock of the server it lies on. */
export async function readDue(
  connection: RedisConnection,
  keys: RedisKeys,
  { kind, agents, limit, now }: DueQuery & { readonly now: number | undefined },
): Promise<readonly SessionKey[]> {
  const values = [now ?? "", limit, agents ? JSON.stringify(agents.map(encodeURIComponent)) : ""];
  const buckets = await Promise.all(
    keys.buckets.map((bucket) => connection.run(DUE_SCRIPT, [bucket[kind]], values)),
  );
  return buckets
    .flatMap((answer) => toDueSessions(answer as readonly string[]))
    .toSorted((one, other) => one.time - other.time)
    .slice(0, limit)
    .map(({ name }) => sessionFromName(name));
}

function toDueSessions(answer: readonly string[]): readonly DueSession[] {
  const sessions: DueSession[] = [];
  for (let index = 0; index < answer.length; index += 2) {
    sessions.push({ name: answer[index] ?? "", time: Number(answer[index + 1]) });
  }
  return sessions;
}
