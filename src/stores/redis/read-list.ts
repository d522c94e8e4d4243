import type {
  HeadRecord,
  ListedSession,
  ListQuery,
  Scope,
  SessionPage,
} from "../../ledger/index.ts";
import { placeFromListCursor, toListCursor } from "../list-cursor.ts";
import { ACTIVE, IDLE, placeFromListMember, toListName, toListStart } from "./list-member.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisKeys } from "./redis-keys.ts";
import { defineScript, type RedisScript } from "./redis-script.ts";

/** Key: a tenant's list in one bucket. Values: where to begin, limit, agent or nothing, activity or nothing. */
export const LIST_SCRIPT: RedisScript = defineScript(
  "reads",
  `
local start, limit, agent, activity = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local found = {}
while true do
  local members = redis.call('ZRANGE', KEYS[1], start, '-', 'BYLEX', 'REV', 'LIMIT', 0, 100)
  for _, member in ipairs(members) do
    local itsAgent, itsActivity = string.match(member, '^[^:]*:([^:]*):[^:]*:(.*)$')
    if (agent == '' or itsAgent == agent) and (activity == '' or itsActivity == activity) then
      found[#found + 1] = member
      if #found >= limit then return found end
    end
  end
  if #members < 100 then return found end
  start = '(' .. members[100]
end
`,
);

/**
 * One page of a scope's sessions, last updated first: the first of every bucket, merged, and then their records. A session that is gone
 * by then is left out of the page.
 */
export async function readList(
  connection: RedisConnection,
  keys: RedisKeys,
  { scope, ...query }: ListQuery & { readonly scope: Scope },
): Promise<SessionPage> {
  const values = toValues(query);
  const buckets = await Promise.all(
    keys.buckets.map((bucket) => connection.run(LIST_SCRIPT, [bucket.list(scope)], values)),
  );
  // Members are ASCII, where JavaScript's order of strings is byte order.
  const members = (buckets as string[][]).flat().toSorted().toReversed();
  const page = members.slice(0, query.limit).map(placeFromListMember);
  const last = page.at(-1);
  const sessions = await Promise.all(
    page.map(async ({ agent, sessionId }): Promise<readonly ListedSession[]> => {
      const key = { scope, agent, sessionId };
      const record = await connection.call("hget", [keys.ofSession(key).head, "record"]);
      return typeof record === "string" ? [{ key, record: JSON.parse(record) as HeadRecord }] : [];
    }),
  );
  return {
    sessions: sessions.flat().filter(({ record }) => record.deletedAt === undefined),
    ...(last !== undefined && members.length > page.length && { next: toListCursor(last) }),
  };
}

function toValues({ after, limit, agent, activity }: ListQuery): readonly (string | number)[] {
  return [
    after === undefined ? "+" : `(${toListStart(placeFromListCursor(after))}`,
    limit + 1,
    agent === undefined ? "" : toListName(agent),
    activity === undefined ? "" : { active: ACTIVE, idle: IDLE }[activity],
  ];
}
