import { defineScript, type RedisScript } from "./redis-script.ts";

/** Keys: head, rows. Values: epoch and snapshot of the fence, channel, rows. */
export const APPEND_SCRIPT: RedisScript = defineScript(
  "writes",
  `
local head, rows = unpack(KEYS)
local epoch, snapshot, channel = unpack(ARGV, 1, 3)
local holder = redis.call('HMGET', head, 'epoch', 'active')
if holder[1] ~= epoch or holder[2] ~= snapshot or snapshot == '' then return 'fenced' end

local members, added = {}, {}
for place = 4, #ARGV do
  local member = ARGV[place]
  local key = keyOf(member)
  local present = added[key] or lastBetween(rows, key, key)
  if present and present ~= member then return 'fenced' end
  if not present then
    added[key] = member
    members[#members + 1] = member
  end
end
insertRows(rows, members)
tell(channel)
return 'ok'
`,
);
