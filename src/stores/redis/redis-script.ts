import { createHash } from "node:crypto";

/** A program that Redis runs in one piece, known to it by its hash. */
export interface RedisScript {
  readonly source: string;
  readonly sha: string;
}

/**
 * `reads` also run while Redis refuses to write. `frees` are writes that Redis takes although its memory is full. What a caller hands over
 * never becomes part of the text.
 */
export function defineScript(kind: "reads" | "writes" | "frees", body: string): RedisScript {
  const source = `${HEADERS[kind]}\n${ROWS}\n${body}`;
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

// With such a first line, Redis refuses a script as a whole and before it begins, never in the middle of its writes.
const HEADERS = {
  reads: "#!lua flags=no-writes",
  writes: "#!lua",
  frees: "#!lua flags=allow-oom",
};

/**
 * What scripts know of rows, see `redis-rows.ts`. The members of a key are those from `key NUL` up to `key SOH`. Arguments of one call lie on
 * Lua's stack, so many rows are inserted in several calls.
 */
const ROWS = `
local function atOrAfter(key) return '[' .. key .. '\\0' end
local function atOrBefore(key) return '(' .. key .. '\\1' end
local function keyOf(member) return string.sub(member, 1, string.find(member, '\\0', 1, true) - 1) end

local function rowsBetween(rows, from, to)
  return redis.call('ZRANGE', rows, atOrAfter(from), atOrBefore(to), 'BYLEX')
end

local function lastBetween(rows, from, to)
  return redis.call('ZRANGE', rows, atOrBefore(to), atOrAfter(from), 'BYLEX', 'REV', 'LIMIT', 0, 1)[1]
end

local function insertRows(rows, members)
  for first = 1, #members, 1000 do
    local scored = {}
    for index = first, math.min(first + 999, #members) do
      scored[#scored + 1] = 0
      scored[#scored + 1] = members[index]
    end
    redis.call('ZADD', rows, unpack(scored))
  end
end

-- A hint: whoever may not publish still writes.
local function tell(channel) redis.pcall('PUBLISH', channel, '') end
`;
