import {
  type Commit,
  type HeadRecord,
  type KeyRange,
  type SessionKey,
} from "../../ledger/index.ts";
import { toListMember } from "./list-member.ts";
import type { SessionKeys } from "./redis-keys.ts";
import { toMember } from "./redis-rows.ts";
import { defineScript, type RedisScript } from "./redis-script.ts";

const BODY = `
local head, rows, work, sweep, list = unpack(KEYS)
local expected, version, name, channel, record, epoch, active, dueAt, sweepAt, listed, drops =
  unpack(ARGV, 1, 11)
local known = redis.call('HMGET', head, 'version', 'listed')
if (known[1] or '0') ~= expected then return 'conflict' end
-- A server that drops keys may have dropped the head alone: what it left would stand in the way of a new session.
if expected == '0' then redis.call('UNLINK', rows) end

local function index(set, member, score)
  if score == '' then redis.call('ZREM', set, member) else redis.call('ZADD', set, score, member) end
end

if record == '' then
  if expected == '0' then return 'ok' end
  redis.call('UNLINK', head, rows)
  index(work, name, '')
  index(sweep, name, '')
  if known[2] ~= '' then redis.call('ZREM', list, known[2]) end
  tell(channel)
  return 'ok'
end

local firstRow = 12 + (tonumber(drops) or 0)
local members, seen = {}, {}
for place = firstRow, #ARGV do
  local key = keyOf(ARGV[place])
  if seen[key] or redis.call('ZLEXCOUNT', rows, atOrAfter(key), atOrBefore(key)) > 0 then
    return 'conflict'
  end
  seen[key] = true
  members[#members + 1] = ARGV[place]
end

if drops == 'all' then redis.call('UNLINK', rows) end
for place = 12, firstRow - 1, 2 do
  redis.call('ZREMRANGEBYLEX', rows, atOrAfter(ARGV[place]), atOrBefore(ARGV[place + 1]))
end
insertRows(rows, members)
redis.call('HSET', head, 'version', version, 'record', record, 'epoch', epoch, 'active', active,
  'listed', listed)
index(work, name, dueAt)
index(sweep, name, sweepAt)
if known[2] ~= listed then
  if known[2] and known[2] ~= '' then redis.call('ZREM', list, known[2]) end
  if listed ~= '' then redis.call('ZADD', list, 0, listed) end
end
tell(channel)
return 'ok'
`;

const COMMIT = defineScript("writes", BODY);
/** For commits without rows: sessions can be ended and deleted when the memory is full. */
const COMMIT_WITHOUT_ROWS = defineScript("frees", BODY);

export const COMMIT_SCRIPTS: readonly RedisScript[] = [COMMIT, COMMIT_WITHOUT_ROWS];

export interface CommitCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly values: readonly (string | number)[];
}

/** A commit as it will be sent: nothing in it changes when the caller changes what it handed over. */
export function toCommitCall(
  keys: SessionKeys,
  { scope, agent, sessionId }: SessionKey,
  { expect, record, put = [], drop = [] }: Commit,
): CommitCall {
  const { head, rows, name, channel, bucket } = keys;
  const values = [
    expect,
    expect + 1,
    name,
    channel,
    ...(record === null ? NOTHING : toFields(record, { agent, sessionId })),
    ...(drop === "all" ? [drop] : toDrops(drop)),
    ...put.map(toMember),
  ];
  return {
    script: put.length === 0 && expect > 0 ? COMMIT_WITHOUT_ROWS : COMMIT,
    keys: [head, rows, bucket.work, bucket.sweep, bucket.list(scope)],
    values,
  };
}

const NOTHING = ["", "", "", "", "", ""];

// In the order in which the script names them.
function toFields(
  record: HeadRecord,
  session: Pick<SessionKey, "agent" | "sessionId">,
): readonly (string | number)[] {
  const { updatedAt, deletedAt } = record;
  const isActive = record.active !== null || record.queue.length > 0;
  return [
    JSON.stringify(record),
    record.epoch,
    record.active?.snapshotId ?? "",
    toScore(record.dueAt),
    toScore(record.sweepAt),
    deletedAt === undefined ? toListMember({ ...session, updatedAt, isActive }) : "",
  ];
}

// Redis would refuse what is no number in the middle of the script.
function toScore(time: number | null): string | number {
  return time !== null && Number.isFinite(time) ? time : "";
}

function toDrops(ranges: readonly KeyRange[]): readonly (string | number)[] {
  return [2 * ranges.length, ...ranges.flat()];
}
