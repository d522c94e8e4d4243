import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { openRedisStore } from "turnkeep/stores/redis";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { redisUrl } from "../../support/redis-url.ts";
import {
  EMPTY_CONTENT,
  Ledger,
  type SessionKey,
  TurnkeepError,
} from "../../../src/ledger/index.ts";
import { type OwnServer, startOwnServer } from "./own-server.ts";
import { keyOf } from "./session-keys.ts";

const KEY = keyOf("session");
const SESSIONS = 60;

// What `ephemeral` lets a server do.
describe.skipIf(redisUrl === "")("a server that loses keys", () => {
  let server: OwnServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startOwnServer([]);
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await admin.flushall();
  });

  /** As a process has it that remembers nothing. */
  async function openLedger(): Promise<{ ledger: Ledger; close: () => Promise<void> }> {
    const store = await openRedisStore({ url: server.url, prefix: "lossy", ephemeral: true });
    return { ledger: new Ledger({ store }), close: () => store.close() };
  }

  it("all of them: the same store goes on with sessions that begin anew", async () => {
    const { ledger, close } = await openLedger();
    for (let round = 0; round < 3; round += 1) {
      await say(ledger, KEY, "a");
      await say(ledger, KEY, "b");
      expect(await saidIn(ledger, KEY)).toEqual(["a", "b"]);
      await admin.flushall();
      await admin.script("FLUSH");
      expect(await saidIn(ledger, KEY)).toEqual([]);
    }
    await close();
  });

  it("the record of a session: it begins anew, and nothing of the old one is in it", async () => {
    const { ledger, close } = await openLedger();
    await say(ledger, KEY, "a");
    await admin.del(await admin.keys("*:head:*"));
    await say(ledger, KEY, "b");
    expect(await saidIn(ledger, KEY)).toEqual(["b"]);
    const { rows } = await ledger.store.load(KEY, { ranges: [["snapshot/", "snapshot/~"]] });
    expect(rows.size).toBe(1);
    await close();
  });

  it("the rows of a session: it is known to be damaged, and can be removed", async () => {
    const writer = await openLedger();
    await say(writer.ledger, KEY, "a");
    await writer.close();
    await admin.del(await admin.keys("*:rows:*"));
    const { ledger, close } = await openLedger();
    await expect(saidIn(ledger, KEY)).rejects.toMatchObject({ status: "DATA_LOSS" });
    await expect(say(ledger, KEY, "b")).rejects.toMatchObject({ status: "DATA_LOSS" });
    await ledger.remove(KEY);
    await close();
  });

  it("whatever it likes: no session is silently torn", async () => {
    await admin.config("SET", "maxmemory-policy", "allkeys-random", "maxmemory", "4mb");
    const { ledger, close } = await openLedger();
    const keys = Array.from({ length: SESSIONS }, (_, index) => keyOf(`session-${index}`));
    for (const text of ["0", "1", "2", "3"]) {
      for (const key of keys) await say(ledger, key, text).catch(expectLoss);
    }
    const fates = { whole: 0, gone: 0, damaged: 0 };
    const reader = await openLedger();
    for (const key of keys) {
      const said = await saidIn(reader.ledger, key).catch(expectLoss);
      if (said === undefined) fates.damaged += 1;
      else if (said.length === 0) fates.gone += 1;
      else {
        // It may have begun anew; what was said since stands there without a gap.
        expect("0123").toContain(said.join(""));
        fates.whole += 1;
      }
    }
    expect(fates.gone + fates.damaged).toBeGreaterThan(0);
    expect(fates.whole).toBeGreaterThan(0);
    await Promise.all([close(), reader.close()]);
  });
});

/** One turn. */
async function say(ledger: Ledger, key: SessionKey, text: string): Promise<undefined> {
  // Long enough to fill a small server.
  const input = {
    role: "user" as const,
    content: [{ text }, { text: randomBytes(15_000).toString("hex") }],
  };
  const answer = await ledger.accept(key, { input, begin: true });
  if (answer.kind !== "accepted" || answer.claim === undefined) {
    throw new TurnkeepError("ABORTED", `A turn was ${answer.kind}.`);
  }
  const work = await ledger.work(key, answer.claim, { input });
  const messages = (work.start?.content ?? EMPTY_CONTENT).messages.grow([input]);
  const { nextSeq } = answer.claim;
  const content = { messages, artifacts: [] };
  await ledger.finish(key, work, { status: "completed", content, nextSeq });
}

async function saidIn({ store }: Ledger, key: SessionKey): Promise<readonly unknown[]> {
  const head = await new Ledger({ store }).snapshots.findHead(key);
  return (head?.content.messages.all() ?? []).map(({ content }) => content[0]?.text);
}

function expectLoss(error: unknown): undefined {
  expect(TurnkeepError.is(error), String(error)).toBe(true);
}
