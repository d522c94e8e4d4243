import type { AgentOptions, AgentStreamChunk, CallContext, SessionState } from "turnkeep";
import { LocalAgent } from "../../../src/agent/local-agent.ts";
import { systemPorts } from "../../../src/ledger/index.ts";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import {
  CALLS,
  CANARY,
  confide,
  METHODS,
  type MethodName,
  type Secretive,
  worldOf,
} from "./methods.ts";
import { STORES } from "./stores.ts";
import { agentOf, chunksOf, collect, errorOf, model } from "./turns.ts";

const GUEST = { context: { role: "guest" } };
const OWNER = { context: { role: "owner" } };

// Exports are for operators and hold what is kept; everything else goes through the transforms.
const RAW: readonly MethodName[] = ["exportSession"];
// These answer with nothing of the state.
const STATELESS: readonly MethodName[] = [
  "abort",
  "listSnapshots",
  "listSessions",
  "label",
  "deleteSession",
  "exportSession",
  "importSession",
];
const STATEFUL = METHODS.filter((name) => !STATELESS.includes(name));

const HIDING: Partial<AgentOptions<Secretive>> = {
  transformState: (state, context) => scrubbed(state, context),
  transformStream: (chunk, context) => scrubbed(chunk, context),
};

describe("the table of methods", () => {
  it("has a case for every method of an agent", () => {
    const names = new Set<string>();
    for (
      let prototype: object = LocalAgent.prototype;
      prototype !== Object.prototype;
      prototype = Object.getPrototypeOf(prototype) as object
    ) {
      for (const name of Object.getOwnPropertyNames(prototype)) names.add(name);
    }
    names.delete("constructor");
    // Shows nothing: it takes turns over.
    names.delete("startWorker");
    names.delete("takeWorkDesk");
    names.delete("close");
    // Says only that something is hidden.
    names.delete("redacts");
    // Only of agents of this process, and for tools for developers: test/agent/inspector.test.ts has their cases.
    for (const name of ["branch", "inspector", "isRunningHere"]) names.delete(name);
    // Of a turn that goes on, while all of the table's have ended: test/reflection/redaction.test.ts has its case.
    names.delete("findOpenMessage");
    // Say nothing of any session: what clients may send.
    for (const name of ["parseClientInput", "parseClientInit"]) names.delete(name);
    for (const name of ["checkClientState", "trustsClientState"]) names.delete(name);
    // What `deleteSession` of another agent calls.
    names.delete("eraseSession");
    // Ids alone, which `getOutput` shows.
    names.delete("savedBefore");
    // For operators and tests, who have the store itself.
    for (const name of ["store", "tenant", "withStore", "examineSession"]) names.delete(name);
    expect([...names].toSorted()).toEqual(METHODS.toSorted());
  });
});

describe.each(STORES)("what is hidden over %s", (_, openStore) => {
  it.each(METHODS)("never comes out of %s", async (name) => {
    const store = await openStore();
    const world = await worldOf(store, confide({ store, ...HIDING }));
    const answer = await CALLS[name](world, GUEST);
    expect(isTold(answer)).toBe(RAW.includes(name));
  });

  it.each(STATEFUL)("comes out of %s for whoever may see it", async (name) => {
    const store = await openStore();
    const world = await worldOf(store, confide({ store, ...HIDING }));
    expect(isTold(await CALLS[name](world, OWNER))).toBe(true);
  });

  it("stays as it is in the store, whatever a transform does to its copy", async () => {
    const store = await openStore();
    const wrecking = confide({
      store,
      transformState: (state) => {
        const { custom, messages } = state as { custom?: Secretive; messages: unknown[] };
        if (custom) custom.secret = "wrecked";
        messages.length = 0;
        return state;
      },
    });
    const { sessionId } = await worldOf(store, wrecking);
    expect((await wrecking.getLatestSnapshot(sessionId)).state).toMatchObject({ messages: [] });
    await wrecking.runText("more", { sessionId });
    const { state } = await confide({ store }).getLatestSnapshot(sessionId);
    expect(state?.custom).toEqual({ secret: `${CANARY}-2`, shown: 3 });
    expect(state?.messages).toHaveLength(6);
  });

  it("works with session ids of every length that is allowed", async () => {
    const agent = confide({ store: await openStore(), ...HIDING });
    for (const sessionId of ["a".repeat(512), "ü".repeat(256)]) {
      const chunks = await chunksOf(agent, "hi", { ...GUEST, sessionId });
      expect(chunks.length).toBeGreaterThan(0);
      const { snapshotId, state } = await agent.getLatestSnapshot(sessionId, GUEST);
      expect(state?.sessionId).toBe(sessionId);
      expect((await agent.getSnapshot(snapshotId, GUEST)).sessionId).toBe(sessionId);
    }
  });
});

const never = (): Promise<never> => new Promise<never>(() => {});
const fail = (value: unknown): never => {
  throw new Error(`cannot redact ${JSON.stringify(value)}`);
};

const FAILURES: readonly (readonly [string, Partial<AgentOptions<Secretive>>])[] = [
  ["throws", { transformState: fail }],
  ["rejects", { transformState: async (state) => fail(state) }],
  ["never ends", { transformState: never }],
  ["answers with garbage", { transformState: () => CANARY as never }],
  ["answers with a broken state", { transformState: () => ({ messages: CANARY }) as never }],
];

describe.each(FAILURES)("a state transform that %s", (_, failing) => {
  it.each(STATELESS)("has no say in %s", async (name) => {
    const store = new MemoryStore();
    const world = await worldOf(store, confide({ store, ports: impatient(), ...failing }));
    expect(isTold(await CALLS[name](world, GUEST))).toBe(RAW.includes(name));
  });

  it.each(STATEFUL)("lets nothing out of %s", async (name) => {
    const store = new MemoryStore();
    const world = await worldOf(store, confide({ store, ports: impatient(), ...failing }));
    const error = await errorOf(() => CALLS[name](world, GUEST));
    expect(error).toMatchObject({ status: "INTERNAL", reason: "REDACTION_FAILED" });
    expect(JSON.stringify({ message: error.message, details: error.details })).not.toContain(
      CANARY,
    );
  });
});

describe("a stream transform that fails", () => {
  const STREAMING: readonly MethodName[] = ["stream", "streamText", "connect", "attach"];

  it.each<[string, Partial<AgentOptions<Secretive>>]>([
    ["throws", { transformStream: fail }],
    ["never ends", { transformStream: never }],
    ["answers with garbage", { transformStream: () => [CANARY] as never }],
  ])("and %s lets nothing out", async (_, failing) => {
    for (const name of STREAMING) {
      const store = new MemoryStore();
      const agent = confide({ store, ports: impatient(), ...failing });
      const error = await errorOf(async () => CALLS[name](await worldOf(store, agent), GUEST));
      expect(error.reason, name).toBe("REDACTION_FAILED");
      expect(isTold([error.message, error.details])).toBe(false);
    }
  });
});

describe("a transform", () => {
  it("may show nothing of the state", async () => {
    const store = new MemoryStore();
    const agent = confide({ store, transformState: () => undefined });
    const { earlierId, snapshotId, sessionId } = await worldOf(store, agent);
    expect(await agent.getSnapshot(snapshotId)).not.toHaveProperty("state");
    const output = await agent.runText("more", { sessionId });
    expect(Object.keys(output).toSorted()).toEqual([
      "finishReason",
      "sessionId",
      "snapshotId",
      "snapshotIds",
    ]);
    const error = await errorOf(() => agent.diff(earlierId, snapshotId));
    expect(error.status).toBe("PERMISSION_DENIED");
  });

  it("may drop chunks", async () => {
    const agent = confide({
      transformStream: (chunk) => (chunk.modelChunk || chunk.status ? undefined : chunk),
    });
    const chunks = await chunksOf(agent, "hi");
    expect(chunks.map((chunk) => Object.keys(chunk)[0])).toEqual([
      "customPatch",
      "customPatch",
      "artifact",
    ]);
  });

  it("hides state from what clients carry as well", async () => {
    const agent = confide({ ...HIDING });
    const output = await agent.runText("hi", GUEST);
    expect(output.state?.custom).toEqual({ secret: "-0", shown: 1 });
    expect(JSON.stringify(output)).not.toContain(CANARY);
  });

  it("of the state alone hides it in patches and streamed artifacts too", async () => {
    const agent = agentOf<Secretive>(
      { store: new MemoryStore(), transformState: (state) => scrubbed(state, GUEST.context) },
      ({ session, respond }) => {
        session.setCustom({ secret: CANARY, shown: 1 });
        session.updateCustom((draft) => {
          draft.secret += "!";
        });
        respond.artifact({ name: "a", parts: [{ text: CANARY }] });
      },
    );
    const chunks = await chunksOf(agent, "hi");
    expect(chunks).toEqual([
      { customPatch: [{ op: "replace", path: "", value: { secret: "", shown: 1 } }] },
      { customPatch: [{ op: "replace", path: "/secret", value: "!" }] },
      { artifact: { name: "a", parts: [{ text: "" }] } },
    ]);
  });

  it("sees the custom state beside an answer, to decide by it", async () => {
    const agent = agentOf<{ isPrivate: boolean }>(
      {
        store: new MemoryStore(),
        transformState: (state) => (state.custom?.isPrivate ? undefined : state),
      },
      ({ session }, _, text) => {
        session.setCustom({ isPrivate: text === "private" });
        session.addMessages(model(text));
      },
    );
    expect((await agent.runText("private")).message).toBeUndefined();
    expect((await agent.runText("open")).message).toEqual(model("open"));
  });

  it("compares what the caller may see, and only that", async () => {
    const store = new MemoryStore();
    const agent = confide({ store, ...HIDING });
    const { earlierId, snapshotId } = await worldOf(store, agent);
    const seen = await agent.diff(earlierId, snapshotId, GUEST);
    expect(seen).toMatchObject({
      same: false,
      messages: { common: 2 },
      custom: [
        { op: "replace", path: "/secret", value: "-1" },
        { op: "replace", path: "/shown", value: 2 },
      ],
    });
    const blind = confide({
      store,
      transformState: ({ sessionId }) => ({ sessionId: sessionId! }),
    });
    expect(await blind.diff(earlierId, snapshotId)).toMatchObject({ same: true });
  });

  it("that fails leaves no fork behind", async () => {
    const store = new MemoryStore();
    const agent = confide({ store, transformState: fail });
    const { snapshotId } = await worldOf(store, agent);
    await errorOf(() => agent.fork(snapshotId, { sessionId: "forked" }));
    expect(await agent.listSnapshots("forked")).toEqual([]);
  });

  it("that fails for one reader does not keep the turn from being kept", async () => {
    const store = new MemoryStore();
    const agent = confide({ store, transformState: fail });
    await errorOf(() => agent.runText("hi", { sessionId: "s" }));
    expect((await confide({ store }).getLatestSnapshot("s")).status).toBe("completed");
  });

  it("shows a reader that attaches late the same as one that was there", async () => {
    const store = new MemoryStore();
    const agent = confide({ store, ...HIDING });
    const connection = agent.connect({ ...GUEST, sessionId: "s" });
    await connection.sendText("hi");
    connection.close();
    const live = await collect(connection.events());
    const late = await collect(agent.attach(connection.runId, GUEST));
    expect(late.slice(0, live.length)).toEqual(live);
  });
});

function isTold(answer: unknown): boolean {
  return JSON.stringify([answer]).includes(CANARY);
}

// Everything a guest sees has the canary cut out.
function scrubbed<Value extends AgentStreamChunk | SessionState<Secretive>>(
  value: Value,
  { role }: CallContext,
): Value {
  if (role === "owner") return value;
  return JSON.parse(JSON.stringify(value).replaceAll(CANARY, "")) as Value;
}

// Waits for transforms no longer than a moment.
function impatient(): typeof systemPorts {
  const { timers } = systemPorts;
  const sleep: typeof timers.sleep = async (milliseconds, options) =>
    await timers.sleep(milliseconds === 1000 ? 3 : milliseconds, options);
  return { ...systemPorts, timers: { ...timers, sleep } };
}
