import { genkit } from "genkit";
import {
  type AgentOptions,
  defineCustomAgent,
  type LocalAgent,
  type SessionStore,
  type StateOption,
} from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { testStoreOn } from "../../support/places/test-place.ts";
import { STORES } from "./stores.ts";
import { chunksOf, errorOf } from "./turns.ts";

const CANARY = "canary-4711";

/** A state as three builds of one agent know it: without versions, with a list, with a list of objects. */
type First = { item: string };
type Second = { items: string[] };
type Third = { items: { name: string; done: boolean }[] };

const FIRST = z.object({ item: z.string() });
const SECOND: StateOption<Second> = {
  version: 2,
  schema: z.object({ items: z.array(z.string()) }),
  migrate: (state) => ({ items: [(state as First).item] }),
};
const ofThird = z.object({
  items: z.array(z.object({ name: z.string(), done: z.boolean().default(false) })),
});
const THIRD: StateOption<Third> = {
  version: 3,
  schema: ofThird,
  migrate: (state, fromVersion) => ({
    items: (fromVersion === 0 ? [(state as First).item] : (state as Second).items).map((name) => ({
      name,
    })),
  }),
};

// Fits all of them: each schema takes what it knows.
const EMPTY_LIST: unknown = { item: "", items: [] };

interface BuildOptions<Custom> extends Partial<AgentOptions<Custom>> {
  /** What a turn sets. */
  readonly next?: Custom;
  /** Told what a turn finds. */
  readonly seen?: (custom: Custom | undefined) => void;
}

function build<Custom>(
  state: StateOption<Custom> | undefined,
  { next, seen, ...options }: BuildOptions<Custom>,
): LocalAgent<Custom> {
  return defineCustomAgent<Custom>(
    { name: "list", ...options, ...(state && { state, initialState: EMPTY_LIST as Custom }) },
    async ({ session }) => {
      await session.run(() => {
        seen?.(session.custom());
        if (next !== undefined) session.setCustom(next);
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}

async function kept(store: SessionStore): Promise<string> {
  const { snapshotId } = await build<First>(FIRST, { store, next: { item: "tea" } }).runText("a", {
    sessionId: "s",
  });
  return snapshotId ?? "";
}

describe.each(STORES)("a state with versions over %s", (_, openStore) => {
  it("is read by a newer build as that one knows it, and stays as it was kept", async () => {
    const store = await openStore();
    const snapshotId = await kept(store);
    const agent = build(THIRD, { store });
    const read = await agent.getSnapshot(snapshotId);
    expect(read.state).toMatchObject({
      custom: { items: [{ name: "tea", done: false }] },
      stateVersion: 3,
    });
    expect(read).not.toHaveProperty("stateVersion");
    expect((await agent.getLatestSnapshot("s")).state).toEqual(read.state);
    const asKept = await build(FIRST, { store }).getSnapshot(snapshotId);
    expect(asKept.state?.custom).toEqual({ item: "tea" });
  });

  it("is kept in the new version by the next turn, though nothing of it changed", async () => {
    const store = await openStore();
    const first = await kept(store);
    const second = await build(SECOND, { store }).runText("b", { sessionId: "s" });
    const third = build(THIRD, { store });
    const { snapshotId = "" } = await third.runText("c", { sessionId: "s" });
    const ids = [first, second.snapshotId ?? "", snapshotId];
    const listed = await third.listSnapshots("s");
    expect(listed.map(({ stateVersion }) => stateVersion)).toEqual([undefined, 2, 3]);
    for (const id of ids) {
      const { state } = await third.getSnapshot(id);
      expect(state?.custom).toEqual({ items: [{ name: "tea", done: false }] });
    }
    // Read back past everything that is remembered: hashes hold for what was kept.
    const again = build(THIRD, { store });
    expect((await again.getLatestSnapshot("s")).state?.messages).toHaveLength(3);
    expect((await again.diff(first, snapshotId)).custom).toEqual([]);
  });

  it("is kept in the version that needed no change of it", async () => {
    const store = await openStore();
    await kept(store);
    const same = build(
      { version: 1, schema: FIRST, migrate: (state) => state as First },
      { store },
    );
    await same.runText("b", { sessionId: "s" });
    const [before, after] = await same.listSnapshots("s");
    expect(before).not.toHaveProperty("stateVersion");
    expect(after?.stateVersion).toBe(1);
  });

  it("streams what a turn makes of it", async () => {
    const store = await openStore();
    await kept(store);
    const next = { items: [{ name: "milk", done: true }] };
    const chunks = await chunksOf(build(THIRD, { store, next }), "b", { sessionId: "s" });
    expect(chunks).toEqual([{ customPatch: [{ op: "replace", path: "", value: next }] }]);
  });

  it("forks in the new version", async () => {
    const store = await openStore();
    const agent = build(THIRD, { store });
    const forked = await agent.fork(await kept(store), { sessionId: "copy" });
    expect(forked).toMatchObject({ stateVersion: 3, state: { stateVersion: 3 } });
    const edited = await agent.fork(forked.snapshotId, {
      sessionId: "edited",
      state: { custom: { items: [] } },
    });
    expect(edited.stateVersion).toBe(3);
  });

  it("goes with the session into a file and out of it", async () => {
    const [here, there] = [await openStore(), await testStoreOn("memory")];
    await kept(here);
    await build(SECOND, { store: here }).runText("b", { sessionId: "s" });
    const agent = build(THIRD, { store: there });
    await agent.importSession("s", build(SECOND, { store: here }).exportSession("s"));
    const versions = (await agent.listSnapshots("s")).map(({ stateVersion }) => stateVersion);
    expect(versions).toEqual([undefined, 2]);
    expect((await agent.getLatestSnapshot("s")).state?.custom?.items).toHaveLength(1);
  });

  const broken: readonly (readonly [string, StateOption<never>, string, RegExp])[] = [
    [
      "has no migration",
      { version: 3, schema: ofThird as never },
      "MIGRATION_MISSING",
      /version 0, .*no migration from it to version 3\. Let 'migrate'/,
    ],
    [
      "has none for this version",
      { version: 3, schema: ofThird as never, migrate: () => undefined },
      "MIGRATION_MISSING",
      /Let 'migrate' in its 'state' answer for version 0/,
    ],
    [
      "has one that throws",
      {
        version: 3,
        schema: ofThird as never,
        migrate: (state) => {
          throw new Error(CANARY + JSON.stringify(state));
        },
      },
      "MIGRATION_FAILED",
      /'migrate' of agent 'list' failed to make version 3/,
    ],
    [
      "has one whose result does not fit",
      { version: 3, schema: ofThird as never, migrate: () => ({ items: [CANARY] }) },
      "MIGRATION_FAILED",
      /cannot be used: the state does not fit its schema at "\/items\/0"/,
    ],
  ];

  it.each(broken)(
    "is refused when the agent %s, and left alone",
    async (_, state, reason, text) => {
      const store = await openStore();
      const snapshotId = await kept(store);
      const agent = build<never>(state, { store });
      const details = { sessionId: "s", snapshotId, stateVersion: 0, currentVersion: 3 };
      for (const read of [
        () => agent.getSnapshot(snapshotId),
        () => agent.getLatestSnapshot("s"),
        () => agent.fork(snapshotId),
      ]) {
        const error = await errorOf(read);
        expect(error).toMatchObject({ status: "FAILED_PRECONDITION", reason, details });
        expect(error.message).toMatch(text);
        expect(error.message).toMatch(`session 's' in snapshot ${snapshotId}`);
        expect(error.message).not.toContain(CANARY);
      }
      const output = await agent.runText("b", { sessionId: "s" });
      expect(output).toMatchObject({ finishReason: "failed", error: { details: { reason } } });
      expect(JSON.stringify(output)).not.toContain(CANARY);
      expect(await agent.listSnapshots("s")).toHaveLength(1);
      expect((await build(FIRST, { store }).getSnapshot(snapshotId)).state?.custom).toEqual({
        item: "tea",
      });
    },
  );

  it.each([
    ["older", SECOND, "knows versions up to 2"],
    ["without versions", FIRST, "knows no versions"],
    ["without a schema", undefined, "knows no versions"],
  ] as readonly (readonly [string, StateOption<never> | undefined, string])[])(
    "is refused by a build that is %s",
    async (_, state, text) => {
      const store = await openStore();
      await build(THIRD, { store, next: { items: [] } }).runText("a", { sessionId: "s" });
      const agent = build<never>(state, { store });
      const error = await errorOf(() => agent.getLatestSnapshot("s"));
      expect(error).toMatchObject({
        reason: "STATE_TOO_NEW",
        details: { sessionId: "s", stateVersion: 3 },
      });
      expect(error.message).toContain(text);
      const output = await agent.runText("b", { sessionId: "s" });
      expect(output.error?.details).toMatchObject({ reason: "STATE_TOO_NEW" });
      expect(await agent.listSnapshots("s")).toHaveLength(1);
    },
  );

  it("is shown migrated to a rule for snapshots", async () => {
    const store = await openStore();
    await kept(store);
    const seen: unknown[] = [];
    const snapshotWhen: AgentOptions<Third>["snapshotWhen"] = ({ previousState }) => {
      seen.push(previousState?.custom);
      return false;
    };
    await build(THIRD, { store, snapshotWhen }).runText("b", { sessionId: "s" });
    expect(seen[0]).toEqual({ items: [{ name: "tea", done: false }] });
    expect(await build(FIRST, { store }).listSnapshots("s")).toHaveLength(1);
  });
});

describe("a state with versions that the client holds", () => {
  const clientState = { secret: "a secret of thirty-two characters, or more" };

  it.each([
    ["signed", { clientState }],
    ["sealed", { clientState: { ...clientState, seal: true } }],
    ["as it is", {}],
  ])("%s comes back in its version and is migrated", async (_, options) => {
    const { state: first } = await build(FIRST, { ...options, next: { item: "tea" } }).runText("a");
    const { state: second } = await build(SECOND, options).runText("b", { state: first as never });
    const found: unknown[] = [];
    const third = build(THIRD, { ...options, seen: (custom) => found.push(custom) });
    const { error } = await third.runText("c", { state: second as never });
    expect(error).toBeUndefined();
    expect(found).toEqual([{ items: [{ name: "tea", done: false }] }]);
  });

  it("is not believed when the client changed the version", async () => {
    const { state } = await build(SECOND, { clientState, next: { items: ["tea"] } }).runText("a");
    expect(state?.stateVersion).toBe(2);
    const lying = { ...state, stateVersion: 3 } as never;
    const output = await build(THIRD, { clientState }).runText("b", { state: lying });
    expect(output.error).toMatchObject({ details: { reason: "STATE_REFUSED" } });
  });

  it("keeps its version whatever a transform shows of it", async () => {
    const { state } = await build(SECOND, {
      next: { items: ["tea"] },
      transformState: ({ custom }) => ({ custom: custom! }),
    }).runText("a");
    expect(state).toMatchObject({ custom: { items: ["tea"] }, stateVersion: 2 });
  });
});

it("agents on Genkit have versions too", async () => {
  const store = await testStoreOn("memory");
  await kept(store);
  const ai = genkit({});
  ai.defineModel({ name: "still" }, async () => ({
    message: { role: "model", content: [{ text: "." }] },
  }));
  const agent = defineAgent(ai, {
    name: "list",
    model: "still",
    store,
    state: THIRD,
    initialState: { items: [] },
  });
  await agent.runText("b", { sessionId: "s" });
  const { state, stateVersion } = await agent.getLatestSnapshot("s");
  expect(stateVersion).toBe(3);
  expect(state?.custom).toEqual({ items: [{ name: "tea", done: false }] });
});

it.each([0, 1.5, -1, "2", undefined])("%j is no version", (version) => {
  const state = { version: version as never, schema: FIRST };
  expect(() => build(state, {})).toThrow(/whole number from 1 up/);
});
