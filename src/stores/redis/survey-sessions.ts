import type { SurveyedSession } from "../../ledger/index.ts";
import { placeFromListMember } from "./list-member.ts";
import { primariesOf } from "./redis-client.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { type RedisKeys, scopeFromList } from "./redis-keys.ts";
import { toStoreError } from "./to-store-error.ts";

const PAGE = 100;

/** All sessions, list by list, those used longest ago first: one that is used meanwhile comes again, and none is passed over. */
export async function* surveySessions(
  connection: RedisConnection,
  keys: RedisKeys,
): AsyncGenerator<SurveyedSession, void> {
  for (const list of await findLists(connection, keys)) {
    const scope = scopeFromList(list);
    for await (const member of membersOf(connection, list)) {
      const { agent, sessionId } = placeFromListMember(member);
      yield { key: { scope, agent, sessionId } };
    }
  }
}

// Servers may name a key more than once.
async function findLists(
  connection: RedisConnection,
  keys: RedisKeys,
): Promise<ReadonlySet<string>> {
  const lists = new Set<string>();
  for (const node of primariesOf(connection.client)) {
    let cursor = "0";
    do {
      const values = [cursor, "match", keys.listPattern, "count", PAGE];
      // oxlint-disable-next-line no-await-in-loop
      const answer = await connection.ask(node, "scan", values).catch((error: unknown) => {
        throw toStoreError(error);
      });
      const [next, found] = answer as readonly [string, readonly string[]];
      for (const list of found.filter((key) => keys.isList(key))) lists.add(list);
      cursor = next;
    } while (cursor !== "0");
  }
  return lists;
}

async function* membersOf(connection: RedisConnection, list: string): AsyncGenerator<string, void> {
  for (let start = "-"; ;) {
    const values = [list, start, "+", "bylex", "limit", 0, PAGE];
    // oxlint-disable-next-line no-await-in-loop
    const members = (await connection.call("zrange", values)) as readonly string[];
    yield* members;
    const last = members.at(-1);
    if (last === undefined || members.length < PAGE) return;
    start = `(${last}`;
  }
}
