import { defineScript, type RedisScript } from "./redis-script.ts";

/**
 * Key: rows. Values: from, to, floor or the start again, limit, bytes. Rows are read in growing helpings, so that few large ones are not
 * all read to be left out.
 */
export const RANGE_SCRIPT: RedisScript = defineScript(
  "reads",
  `
local rows = KEYS[1]
local from, to, floor = unpack(ARGV, 1, 3)
local limit, maxBytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local first = lastBetween(rows, floor, from)
local start = atOrAfter(first and keyOf(first) or from)

local found, bytes, helping = {}, 0, 4
while true do
  local asked = math.min(helping, limit - #found)
  local members = redis.call('ZRANGE', rows, start, atOrBefore(to), 'BYLEX', 'LIMIT', 0, asked)
  for _, member in ipairs(members) do
    bytes = bytes + #member - #keyOf(member) - 1
    if #found > 0 and bytes > maxBytes then return found end
    found[#found + 1] = member
  end
  if #members < asked or #found >= limit then return found end
  start = '[' .. keyOf(members[#members]) .. '\\1'
  helping = helping * 2
end
`,
);
