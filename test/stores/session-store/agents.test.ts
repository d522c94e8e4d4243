import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import {
  fromSessionStore,
  type PlainSessionData,
  type PlainSessionStore,
  type SnapshotSessionStore,
} from "turnkeep/stores/session-store";
import { MemoryStore } from "turnkeep/stores/memory";
import { fakeClock } from "turnkeep/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { textOf, textsOf, user } from "../../agent/agents.ts";
import { returningAgent } from "../../agent/generator/loops.ts";
import { gateOf, until } from "../../agent/life/waiting.ts";
import {
  genkitFileStore,
  genkitMemoryStore,
  ListingSessionStore,
  TextSessionStore,
} from "./session-stores.ts";

type AnySessionStore = PlainSessionStore | SnapshotSessionStore;

const STORES: readonly (readonly [name: string, create: () => AnySessionStore])[] = [
  ["get and save", () => new TextSessionStore()],
  ["get, save, list and delete", () => new ListingSessionStore()],
  ["Genkit's memory", genkitMemoryStore],
  ["Genkit's files", genkitFileStore],
];

/** Answers, counts its turns and keeps a note of each. */
function noting(store: SessionStore, name = "noting"): LocalAgent<{ turns: number }> {
  const agent = defineCustomAgent<{ turns: number }>({ name, store }, async ({ session }) => {
    await session.run(({ message }) => {
      const turns = (session.custom()?.turns ?? 0) + 1;
      session.setCustom({ turns });
      session.addArtifacts({ name: `note ${turns}`, parts: [{ text: textOf(message) }] });
      session.addMessages({ role: "model", content: [{ text: `heard ${textOf(message)}` }] });
      return { finishReason: "stop" };
    });
  });
  onTestFinished(() => agent.close());
  return agent;
}

describe.each(STORES)("an agent over a session store of %s", (_, create) => {
  test("goes on where another process left off, with all its snapshots", async () => {
    const sessions = create();
    const first = noting(fromSessionStore(sessions));
    const { snapshotId } = await first.runText("one", { sessionId: "s" });
    await first.runText("two", { sessionId: "s" });
    await first.close();
    const second = noting(fromSessionStore(sessions));
    await second.runText("three", { sessionId: "s" });
    const { state } = await second.getLatestSnapshot("s");
    expect(textsOf(state as never)).toEqual([
      "one",
      "heard one",
      "two",
      "heard two",
      "three",
      "heard three",
    ]);
    expect(state?.custom).toEqual({ turns: 3 });
    expect(await second.listSnapshots("s")).toHaveLength(3);
    const branch = await second.runText("other", { snapshotId: snapshotId! });
    const { state: branched } = await second.getSnapshot(branch.snapshotId!);
    expect(textsOf(branched as never)).toEqual(["one", "heard one", "other", "heard other"]);
  });

  test("refuses, detaches, aborts and streams as over any store", async () => {
    const gate = gateOf();
    const store = fromSessionStore(create());
    const agent = defineCustomAgent({ name: "slow", store }, async ({ session, respond }) => {
      await session.run(async (input, turn) => {
        respond.text("hm");
        const isAborted = new Promise((resolve) => {
          turn.signal.addEventListener("abort", resolve);
        });
        await Promise.race([gate.promise, isAborted]);
        session.addMessages({ role: "model", content: [{ text: `re: ${textOf(input.message)}` }] });
        return { finishReason: "stop" };
      });
    });
    onTestFinished(() => agent.close());
    const aborted = await agent.detach(user("a"), { sessionId: "s" });
    await expect(agent.runText("b", { sessionId: "s" })).rejects.toMatchObject({
      reason: "SESSION_BUSY",
    });
    await aborted.abort();
    expect((await aborted.wait()).status).toBe("aborted");
    gate.open();
    const { chunks, output, runId } = agent.streamText("c", {
      sessionId: "s",
      // The aborted turn may not have let go of the session yet.
      onBusy: "queue",
    });
    const live: unknown[] = [];
    for await (const chunk of chunks) live.push(chunk);
    expect((await output).finishReason).toBe("stop");
    const late: unknown[] = [];
    for await (const { chunk } of agent.attach(runId)) if (chunk) late.push(chunk);
    expect(late).toEqual(live);
  });

  test("keeps tenants apart, whatever their sessions are called", async () => {
    const agent = noting(fromSessionStore(create()));
    const names = ["s", "acme~noting~s", "a/b", "..", "ä ö", "x".repeat(300)];
    for (const tenant of ["local", "acme"]) {
      for (const sessionId of names) await agent.runText(tenant, { tenant, sessionId });
    }
    for (const tenant of ["local", "acme"]) {
      for (const sessionId of names) {
        const { state } = await agent.getLatestSnapshot(sessionId, { tenant });
        expect(textsOf(state as never)).toEqual([tenant, `heard ${tenant}`]);
      }
    }
  });

  test("erases a session: nothing of it is left in the store", async () => {
    const sessions = create();
    const agent = noting(fromSessionStore(sessions));
    await agent.runText("my secret", { sessionId: "s" });
    expect(await agent.deleteSession("s")).toEqual({ sessionId: "s", linked: [] });
    const left =
      "get" in sessions
        ? await sessions.get("s")
        : await sessions.getSnapshot({ snapshotId: "turnkeep-s" });
    expect(JSON.stringify(left ?? null)).not.toContain("secret");
    await agent.runText("again", { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state as never)).toEqual(["again", "heard again"]);
  });

  test("refuses a session that another agent has, and names the way out", async () => {
    const sessions = create();
    await noting(fromSessionStore(sessions)).runText("one", { sessionId: "s" });
    const other = noting(fromSessionStore(sessions), "other");
    const { error } = await other.runText("two", { sessionId: "s" }).catch((thrown: unknown) => ({
      error: thrown as { readonly message: string },
    }));
    expect(error?.message).toContain('belongs to agent "noting"');
  });
});

describe("a session store of get and save", () => {
  test("holds the conversation in the shape of the documents", async () => {
    const sessions = new TextSessionStore();
    await noting(fromSessionStore(sessions)).runText("one", { sessionId: "s" });
    const { id, threads, state } = (await sessions.get("s"))!;
    expect(id).toBe("s");
    expect(threads).toEqual({
      main: [
        { role: "user", content: [{ text: "one" }] },
        { role: "model", content: [{ text: "heard one" }] },
      ],
    });
    expect(state).toMatchObject({
      turns: 1,
      artifacts: [{ name: "note 1", parts: [{ text: "one" }] }],
    });
  });

  test("may hold conversations of other programs, which go on, with their other threads", async () => {
    const sessions = new TextSessionStore();
    const draft = [{ role: "user" as const, content: [{ text: "a draft" }] }];
    const before: PlainSessionData = {
      state: { turns: 41, artifacts: [{ name: "old", parts: [] }] },
      threads: {
        main: [{ role: "user", content: [{ text: "long ago" }] }],
        draft,
      },
    };
    await sessions.save("s", before);
    const agent = noting(fromSessionStore(sessions));
    const { state: early } = await agent.getLatestSnapshot("s");
    expect(textsOf(early as never)).toEqual(["long ago"]);
    expect((await agent.getLatestSnapshot("s")).snapshotId).toBe(
      (await agent.getLatestSnapshot("s")).snapshotId,
    );
    await agent.runText("now", { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state as never)).toEqual(["long ago", "now", "heard now"]);
    expect(state?.custom).toEqual({ turns: 42 });
    expect(state?.artifacts?.map(({ name }) => name)).toEqual(["old", "note 42"]);
    expect((await sessions.get("s"))?.threads?.["draft"]).toEqual(draft);
    expect(await agent.listSnapshots("s")).toHaveLength(2);
  });

  test("serves a generator agent", async () => {
    const sessions = new TextSessionStore();
    const agent = returningAgent({ store: fromSessionStore(sessions) });
    onTestFinished(() => agent.close());
    await agent.runText("one", { sessionId: "s" });
    const { messages } = await agent.runText("two", { sessionId: "s" });
    expect(messages?.map(textOf)).toEqual(["one", "answer 1", "two", "answer 3"]);
    expect((await sessions.get("s"))?.threads?.["main"]).toEqual(messages);
  });

  test("may answer at once, from an object in memory", async () => {
    const sessions = new Map<string, PlainSessionData>();
    const agent = noting(
      fromSessionStore({
        get: (id) => sessions.get(id),
        save: (id, data) => sessions.set(id, data),
        list: () => [...sessions.keys()],
        delete: (id) => sessions.delete(id),
      }),
    );
    await agent.runText("one", { sessionId: "s" });
    await agent.runText("two", { sessionId: "s" });
    expect((await agent.listSessions()).sessions.map(({ sessionId }) => sessionId)).toEqual(["s"]);
    await agent.deleteSession("s");
    expect((await agent.listSessions()).sessions).toEqual([]);
  });

  test("lists sessions of earlier processes by 'list', and says so without one", async () => {
    const listing = new ListingSessionStore();
    const early = noting(fromSessionStore(listing));
    for (let number = 0; number < 20; number += 1) {
      await early.runText("hello", { sessionId: `s${number}` });
    }
    const { sessions } = await noting(fromSessionStore(listing)).listSessions({ limit: 100 });
    expect(sessions).toHaveLength(20);
    await expect(noting(fromSessionStore(new TextSessionStore())).listSessions()).rejects.toThrow(
      "'list'",
    );
  });

  test.each([
    ["with list, by itself", new ListingSessionStore(), false],
    ["without list, once its session is used", new TextSessionStore(), true],
  ] as const)("lets a turn of a dead process go on, %s", async (_, sessions, isUsed) => {
    const clock = fakeClock();
    const never = new Promise<never>(() => {});
    const dead = defineCustomAgent(
      { name: "noting", store: fromSessionStore(sessions, { clock }) },
      async ({ session }) => await session.run(() => never),
    );
    onTestFinished(() => dead.close());
    await dead.startWorker().stop({ handOverMs: 0 });
    const { snapshotId } = await dead.detach(user("left"), { sessionId: "s" });
    await until(async () => (await dead.getSnapshot(snapshotId)).status === "pending");
    clock.advance(3_600_000);
    const next = noting(fromSessionStore(sessions, { clock }));
    if (isUsed) await next.getLatestSnapshot("s").catch(() => {});
    await until(async () => (await next.getSnapshot(snapshotId)).status === "completed");
    const { state } = await next.getSnapshot(snapshotId);
    expect(textsOf(state as never)).toEqual(["left", "heard left"]);
  });
});

describe("a session store that fails", () => {
  class Failing extends TextSessionStore {
    fails: "get" | "before" | "after" | undefined;

    override async get(sessionId: string): Promise<PlainSessionData | undefined> {
      if (this.fails === "get") throw new Error("away");
      return await super.get(sessionId);
    }

    override async save(sessionId: string, data: PlainSessionData): Promise<void> {
      if (this.fails === "before") throw new Error("away");
      await super.save(sessionId, data);
      if (this.fails === "after") throw new Error("the answer got lost");
    }
  }

  test.each(["get", "before"] as const)("in %s takes no input in, and says so", async (fails) => {
    const sessions = new Failing();
    const agent = noting(fromSessionStore(sessions));
    await agent.runText("one", { sessionId: "s" });
    sessions.fails = fails;
    const refused = await agent.runText("two", { sessionId: "s" }).catch((error: unknown) => error);
    expect(JSON.stringify(refused)).toContain("UNAVAILABLE");
    sessions.fails = undefined;
    await agent.runText("three", { sessionId: "s" });
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state as never)).toEqual(["one", "heard one", "three", "heard three"]);
  });

  test("after it has written, has written", async () => {
    const sessions = new Failing();
    const agent = noting(fromSessionStore(sessions));
    sessions.fails = "after";
    expect((await agent.runText("one", { sessionId: "s" })).finishReason).toBe("stop");
    sessions.fails = undefined;
    const { state } = await agent.getLatestSnapshot("s");
    expect(textsOf(state as never)).toEqual(["one", "heard one"]);
  });
});

describe("a session store of Genkit's", () => {
  test("shows Genkit the conversation, and goes on with one that Genkit kept", async () => {
    const sessions = genkitMemoryStore();
    await sessions.saveSnapshot("of-genkit", () => ({
      sessionId: "s",
      createdAt: "2026-01-01T00:00:00.000Z",
      status: "completed",
      state: {
        sessionId: "s",
        messages: [{ role: "user", content: [{ text: "long ago" }] }],
        custom: { turns: 6 },
      },
    }));
    const agent = noting(fromSessionStore(sessions));
    await agent.runText("now", { sessionId: "s" });
    const latest = await sessions.getSnapshot({ sessionId: "s" });
    expect(latest?.state?.messages?.map(({ content }) => content[0]?.text)).toEqual([
      "long ago",
      "now",
      "heard now",
    ]);
    expect(latest?.state?.custom).toEqual({ turns: 7 });
  });
});

describe("fromSessionStore", () => {
  test.each([
    ["an object with neither", {}, "'get' and 'save'"],
    ["nothing", undefined, "'get' and 'save'"],
    ["a store of Turnkeep's", new MemoryStore(), "as 'store'"],
  ])("refuses %s, and names the fix", (_, given, fix) => {
    expect(() => fromSessionStore(given as never)).toThrow(fix);
  });

  test("refuses a store whose answers it cannot use", async () => {
    const odd = fromSessionStore({ get: () => "a text" as never, save: () => {} });
    await expect(noting(odd).getLatestSnapshot("s")).rejects.toThrow("'get'");
  });
});
