import { join } from "node:path";
import { defineCustomAgent, type LocalAgent, type Message, type SessionStore } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { type Clock, Ledger, sweepDue, systemClock } from "../../src/ledger/index.ts";
import type { PlaceSettings } from "../../test/support/places/place.ts";
import type { Changing, Contender, LiveState, OpenContender, OpenOptions } from "./contender.ts";
import type { ScriptedModel } from "./scripted-model.ts";

const PAST_RETENTION_MS = 48 * 3_600_000;

/** Ours: a custom agent. */
export const contender: Contender = {
  name: "turnkeep",
  packages: ["turnkeep"],
  imports: ["turnkeep"],
  client: { from: "turnkeep/client", name: "remoteAgent" },
  stores: ["sqlite", "file", "postgres", "redis"],
  lacks: {},
  open,
};

async function open(options: OpenOptions): Promise<OpenContender> {
  let ahead = 0;
  const { store, settings } = await openStore(options, { now: () => systemClock.now() + ahead });
  const agent = defineEcho(store, options.model);
  let seed: string | undefined;
  const storedBytes = async (): Promise<number> => {
    ahead += PAST_RETENTION_MS;
    await sweepDue(new Ledger({ store }));
    const { placeBytes } = await import("../stored-bytes.ts");
    return await placeBytes(settings ? { settings } : {}, store);
  };
  return {
    turn: async (sessionId, text) => {
      const { finishReason } = await agent.runText(text, { sessionId });
      if (finishReason !== "stop") throw new Error(`The turn ended as ${finishReason}.`);
    },
    seed: async (sessionId, texts) => {
      seed ??= (await agent.runText("seed", { sessionId: "seed" })).snapshotId ?? "";
      await agent.fork(seed, { sessionId, state: { messages: texts.map(messageOf) } });
      // Read once, like a session that somebody talks in.
      await agent.getLatestSnapshot(sessionId);
    },
    resume: async (sessionId) => {
      // One that never saw the session; it must not go on looking for turns to take over.
      const other = defineEcho(store, options.model);
      const { state } = await other.getLatestSnapshot(sessionId);
      await other.close();
      return state?.messages?.length ?? 0;
    },
    storedBytes,
    serve: async () => {
      const { serve } = await import("turnkeep/node");
      const server = await serve([agent], { auth: "public" });
      return { url: `${server.url}/agents/echo`, close: () => server.close() };
    },
    changeState,
    begin: (sessionId, text) => {
      const { runId, chunks, output } = agent.streamText(text, { sessionId });
      const read = async (): Promise<void> => {
        for await (const chunk of chunks) void chunk;
        await output;
      };
      return { ended: read(), abort: () => agent.abort(runId) };
    },
    close: async () => {
      await agent.close();
      await store.close();
    },
  };
}

/** Says what the model says, chunk by chunk. */
function defineEcho(store: SessionStore, model: ScriptedModel): LocalAgent {
  return defineCustomAgent({ name: "echo", store }, async ({ session, respond }) => {
    await session.run(async ({ message }, turn) => {
      const heard = message?.content[0]?.text ?? "";
      const text = await model.answer(heard, (chunk) => respond.text(chunk), turn);
      session.addMessages({ role: "model", content: [{ text }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

// A quick machine makes more in the time than turns are allowed by default.
const MOST_CHANGES = 10_000_000;

async function changeState(state: LiveState, changing: Changing): Promise<void> {
  const agent = defineCustomAgent<LiveState>(
    { name: "state", store: new MemoryStore(), limits: { chunksPerTurn: MOST_CHANGES } },
    async ({ session }) => {
      await session.run(async () => {
        // The first patch of a turn is the whole state; it is not what is measured.
        session.setCustom(state);
        await changing((entry, hits) => {
          session.updateCustom(({ entries }) => {
            const found = entries[entry];
            if (found) found.hits = hits;
          });
        });
      });
    },
  );
  const { error } = await agent.runText("change it");
  await agent.close();
  if (error) throw new Error(error.message);
}

interface KeptStore {
  readonly store: SessionStore;
  readonly settings?: PlaceSettings;
}

// What is not used is not loaded, so that it takes no memory either.
async function openStore(options: OpenOptions, clock: Clock): Promise<KeptStore> {
  if (options.store === "memory") return { store: new MemoryStore({ clock }) };
  const settings = settingsOf(options);
  const { path = "", url = "", schema = "", prefix = "" } = settings;
  switch (settings.kind) {
    case "sqlite": {
      const { openSqliteStore } = await import("turnkeep/stores/sqlite");
      return { settings, store: await openSqliteStore(path, { clock }) };
    }
    case "file": {
      const { openFileStore } = await import("turnkeep/stores/file");
      return { settings, store: await openFileStore(path, { clock }) };
    }
    case "postgres": {
      const { openPostgresStore } = await import("turnkeep/stores/postgres");
      return { settings, store: await openPostgresStore({ connectionString: url, schema, clock }) };
    }
    case "redis": {
      const { openRedisStore } = await import("turnkeep/stores/redis");
      return { settings, store: await openRedisStore({ url, prefix, clock }) };
    }
    default:
      throw new Error(`There is no store "${settings.kind}".`);
  }
}

function settingsOf({ store, folder = "", url = "" }: OpenOptions): PlaceSettings {
  const name = `bench_${folder.toLowerCase().replaceAll(/\W/g, "_").slice(-40)}`;
  const path = store === "sqlite" ? join(folder, "sessions.db") : folder;
  return { kind: store, path, url, schema: name, prefix: name };
}

function messageOf(text: string, index: number): Message {
  return { role: index % 2 === 0 ? "user" : "model", content: [{ text }] };
}
