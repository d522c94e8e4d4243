import {
  type HeadRecord,
  type Row,
  underPrefix,
  type View,
  type Want,
} from "../../ledger/index.ts";
import { rowFromMember } from "./redis-rows.ts";
import { defineScript, type RedisScript } from "./redis-script.ts";

/** Keys: head, rows. Value: what {@link toWanted} makes. */
export const LOAD_SCRIPT: RedisScript = defineScript(
  "reads",
  `
local head, rows = unpack(KEYS)
local wanted = cjson.decode(ARGV[1])
local time = redis.call('TIME')
local stored = redis.call('HMGET', head, 'version', 'record')
if not stored[1] then return {time} end

local found = {}
local function gather(ranges)
  for _, range in ipairs(ranges) do
    for _, member in ipairs(rowsBetween(rows, range[1], range[2])) do found[#found + 1] = member end
  end
end

-- Escapes are blanked out first: cjson refuses some that JSON has, such as half of a surrogate pair. Keys hold none.
local function gatherChain(json)
  local value = cjson.decode((string.gsub(json, '\\\\.', '_')))
  if type(value) == 'table' and type(value.chain) == 'table' then gather(value.chain) end
end

gather(wanted.ranges)
if wanted.chainOfHead then gatherChain(stored[2]) end
if wanted.chainOfRow then
  local member = lastBetween(rows, wanted.chainOfRow, wanted.chainOfRow)
  if member then gatherChain(string.sub(member, #wanted.chainOfRow + 2)) end
end
local tails = {}
for index, range in ipairs(wanted.tails) do
  tails[index] = lastBetween(rows, range[1], range[2]) or false
end
return {time, stored[1], stored[2], found, tails}
`,
);

export function toWanted({ rows = [], tails = [], ranges = [], chainOf }: Want): string {
  return JSON.stringify({
    ranges: [...rows.map((key) => [key, key]), ...ranges],
    tails: tails.map(underPrefix),
    chainOfHead: chainOf === "head",
    chainOfRow: typeof chainOf === "object" && chainOf.row,
  });
}

/** What the script answers: of a session that does not exist, the time alone. */
type Loaded = readonly [
  time: readonly [seconds: string, microseconds: string],
  version?: string,
  record?: string,
  found?: readonly string[],
  tails?: readonly (string | null)[],
];

export function toView(answer: unknown, { tails: prefixes = [] }: Want): View {
  const [[seconds, microseconds], version = "0", record, found = [], last = []] = answer as Loaded;
  const rows = new Map<string, string>();
  for (const { key, value } of found.map(rowFromMember)) rows.set(key, value);
  const tails = new Map<string, Row>();
  for (const [index, prefix] of prefixes.entries()) {
    const member = last[index] ?? null;
    if (member !== null) tails.set(prefix, rowFromMember(member));
  }
  return {
    version: Number(version),
    record: record === undefined ? null : (JSON.parse(record) as HeadRecord),
    rows,
    tails,
    now: Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000),
  };
}
