import type { LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { TEST_PLACES, testStoreOn } from "../../support/places/test-places.ts";
import { echoAgent, user } from "../agents.ts";
import { STORES } from "./stores.ts";
import { errorOf } from "./turns.ts";

async function noted(agent: LocalAgent, sessionId: string): Promise<unknown> {
  return (await agent.inspector.getSession(sessionId)).metadata;
}

describe.each(STORES)("the metadata of a session over %s", (_, openStore) => {
  it("is set with the first call, and added to by later ones", async () => {
    const agent = echoAgent({ store: await openStore() });
    const metadata = { userId: "ada", plan: { seats: 3 } };
    await agent.runText("a", { sessionId: "s", metadata });
    expect(await noted(agent, "s")).toEqual(metadata);
    await agent.runText("b", { sessionId: "s" });
    await agent.runText("c", { sessionId: "s", metadata: { plan: null, from: "web" } });
    expect(await noted(agent, "s")).toEqual({ userId: "ada", from: "web" });
    const [listed] = (await agent.listSessions()).sessions;
    expect(listed?.metadata).toEqual({ userId: "ada", from: "web" });
  });

  it("is set by every way to start a run", async () => {
    const agent = echoAgent({ store: await openStore() });
    const metadata = { userId: "ada" };
    await agent.streamText("a", { sessionId: "stream", metadata }).output;
    const connection = agent.connect({ sessionId: "connect", metadata });
    await connection.sendText("a");
    await connection.sendText("b");
    await connection.output();
    await (await agent.detach(user("a"), { sessionId: "detach", metadata })).wait();
    for (const sessionId of ["stream", "connect", "detach"]) {
      expect(await noted(agent, sessionId), sessionId).toEqual(metadata);
    }
  });

  it("is changed entry by entry, beside title and tags", async () => {
    const agent = echoAgent({ store: await openStore() });
    await agent.runText("a", { sessionId: "s", metadata: { userId: "ada" } });
    const note = (about: object): Promise<void> => agent.label("s", { about });
    await note({ title: "Tea", tags: ["hot"], metadata: { rating: 5 } });
    await note({ metadata: { rating: 4 } });
    const [listed] = (await agent.listSessions()).sessions;
    expect(listed).toMatchObject({
      title: "Tea",
      tags: ["hot"],
      metadata: { userId: "ada", rating: 4 },
    });
    await note({ metadata: null });
    expect(await noted(agent, "s")).toEqual({});
    const [rest] = (await agent.listSessions()).sessions;
    expect(rest).toMatchObject({ title: "Tea", tags: ["hot"] });
    expect(rest).not.toHaveProperty("metadata");
  });

  it("goes along with a fork and an export, and goes with the session", async () => {
    const agent = echoAgent({ store: await openStore() });
    const metadata = { userId: "ada" };
    const { snapshotId = "" } = await agent.runText("a", { sessionId: "s", metadata });
    await agent.fork(snapshotId, { sessionId: "fork" });
    expect(await noted(agent, "fork")).toEqual(metadata);
    await agent.importSession("copy", agent.exportSession("s"));
    expect(await noted(agent, "copy")).toEqual(metadata);
    await agent.deleteSession("s");
    await agent.runText("a", { sessionId: "s" });
    expect(await noted(agent, "s")).toEqual({});
  });

  it("is part of what makes a request the same one", async () => {
    const agent = echoAgent({ store: await openStore() });
    const call = { sessionId: "s", requestId: "r" };
    const first = await agent.runText("a", { ...call, metadata: { userId: "ada" } });
    const again = await agent.runText("a", { ...call, metadata: { userId: "ada" } });
    expect(again.snapshotId).toBe(first.snapshotId);
    const other = await errorOf(() => agent.runText("a", { ...call, metadata: { userId: "bo" } }));
    expect(other.reason).toBe("IDEMPOTENCY_MISMATCH");
  });
});

describe.each(TEST_PLACES)("listing sessions by metadata on the %s store", (place) => {
  it("finds those whose entries are equal, page by page", async () => {
    const agent = echoAgent({ store: await testStoreOn(place) });
    for (let number = 0; number < 12; number += 1) {
      const metadata = { userId: number % 3 === 0 ? "ada" : "bo", number, tags: ["x", number] };
      await agent.runText("a", { sessionId: `s${number}`, metadata });
    }
    await agent.runText("a", { sessionId: "none" });
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await agent.listSessions({
        metadata: { userId: "ada" },
        limit: 3,
        ...(after !== undefined && { after }),
      });
      seen.push(...page.sessions.map(({ sessionId }) => sessionId));
      expect(page.sessions.length).toBeLessThanOrEqual(3);
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(seen.toSorted()).toEqual(["s0", "s3", "s6", "s9"]);
    const idsOf = async (metadata: object): Promise<readonly string[]> =>
      (await agent.listSessions({ metadata: metadata as never })).sessions.map(
        ({ sessionId }) => sessionId,
      );
    expect(await idsOf({ userId: "ada", number: 3 })).toEqual(["s3"]);
    expect(await idsOf({ number: "3" })).toEqual([]);
    expect(await idsOf({ tags: ["x", 4] })).toEqual(["s4"]);
    expect(await idsOf({ toString: "x" })).toEqual([]);
    expect(await idsOf({})).toHaveLength(13);
  });
});

describe("the metadata of a session", () => {
  it("is looked for in a bounded number of sessions at a time", async () => {
    let pages = 0;
    const inner = new MemoryStore();
    const store = new Proxy(inner, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "list") pages += 1;
        return member.bind(target);
      },
    });
    const agent = echoAgent({ store });
    for (let number = 0; number < 60; number += 1) {
      const metadata = { userId: number === 0 ? "ada" : "bo" };
      await agent.runText("a", { sessionId: `s${number}`, metadata });
    }
    const first = await agent.listSessions({ metadata: { userId: "ada" }, limit: 2 });
    expect(pages).toBeLessThanOrEqual(20);
    expect(first.sessions).toEqual([]);
    const rest = { metadata: { userId: "ada" }, limit: 50 };
    const found = await agent.listSessions({ ...rest, after: first.next! });
    expect(found.sessions.map(({ sessionId }) => sessionId)).toEqual(["s0"]);
  });

  it("is bounded in all, whichever way it grows", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    await agent.runText("a", { sessionId: "s", metadata: { a: "x".repeat(1500) } });
    const refused = { status: "RESOURCE_EXHAUSTED", reason: "LIMIT_EXCEEDED" };
    const more = { b: "x".repeat(1500) };
    const called = await errorOf(() => agent.runText("b", { sessionId: "s", metadata: more }));
    expect(called).toMatchObject(refused);
    expect(called.message).toBe(
      "The metadata of session 's' would have more than 2048 characters of JSON. Remove entries by setting them to null, or note less.",
    );
    expect(await errorOf(() => agent.label("s", { about: { metadata: more } }))).toMatchObject(
      refused,
    );
    expect(await agent.listSnapshots("s")).toHaveLength(1);
    await agent.label("s", { about: { metadata: { a: null, ...more } } });
    expect(await noted(agent, "s")).toEqual(more);
  });

  it("cannot be changed by who keeps what was passed in, or was given out", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const metadata = { user: { id: "ada" } };
    await agent.runText("a", { sessionId: "s", metadata });
    metadata.user.id = "mallory";
    const [listed] = (await agent.listSessions()).sessions;
    const given = listed?.metadata?.["user"] as { id: string };
    expect(() => {
      given.id = "mallory";
    }).toThrow(TypeError);
    expect(await noted(agent, "s")).toEqual({ user: { id: "ada" } });
  });

  it.each([
    ["a text", "ada"],
    ["a list", ["ada"]],
    ["what JSON cannot say", { at: new Date() }],
    ["a function", { at: () => {} }],
    ["a blank key", { " ": 1 }],
    ["a long key", { ["x".repeat(65)]: 1 }],
  ])("refuses %s", async (_, metadata) => {
    const agent = echoAgent({ store: new MemoryStore() });
    for (const work of [
      () => agent.runText("a", { sessionId: "s", metadata: metadata as never }),
      () => agent.listSessions({ metadata: metadata as never }),
    ]) {
      expect((await errorOf(work)).status).toBe("INVALID_ARGUMENT");
    }
    await agent.runText("a", { sessionId: "s" });
    const noting = await errorOf(() =>
      agent.label("s", { about: { metadata: metadata as never } }),
    );
    expect(noting.status).toBe("INVALID_ARGUMENT");
  });

  it("is refused where no session is kept, and where there is none of that id", async () => {
    const carried = await errorOf(() => echoAgent().runText("a", { metadata: { userId: "ada" } }));
    expect(carried).toMatchObject({ status: "FAILED_PRECONDITION" });
    expect(carried.message).toContain("Cannot use 'metadata' with agent 'echo'");
    const agent = echoAgent({ store: new MemoryStore() });
    const missing = await errorOf(() => agent.label("none", { about: { metadata: { a: 1 } } }));
    expect(missing).toMatchObject({ status: "NOT_FOUND", message: "Session 'none' not found." });
  });
});
