import { MemoryStore } from "turnkeep/stores/memory";
import {
  createScope,
  type Append,
  type Commit,
  type Row,
  type SessionKey,
  type Want,
} from "../../src/ledger/index.ts";

/** Stores with one thing wrong each. The contract must notice, in a case whose name starts as told. */
export const FAULTY_STORES: Readonly<
  Record<string, { readonly caught: string; readonly make: () => MemoryStore }>
> = {
  "commits on any version": {
    caught: "commit:",
    make: () =>
      changing({
        commit: async (store, key, commit) =>
          store.commit(key, { ...commit, expect: (await store.load(key)).version }),
      }),
  },
  "leaves out rows that are there instead of telling of a conflict": {
    caught: "commit:",
    make: () =>
      changing({
        commit: async (store, key, commit) => {
          const { rows } = await store.load(key, { ranges: [["!", "~"]] });
          return store.commit(key, {
            ...commit,
            put: commit.put?.filter((row) => !rows.has(row.key)) ?? [],
          });
        },
      }),
  },
  "drops before it looks for collisions": {
    caught: "commit:",
    make: () =>
      changing({
        commit: async (store, key, commit) => {
          const { version, record } = await store.load(key);
          if (commit.drop === undefined || version !== commit.expect || record === null)
            return store.commit(key, commit);
          await store.commit(key, { expect: version, record, drop: commit.drop });
          return store.commit(key, { ...commit, expect: version + 1, drop: [] });
        },
      }),
  },
  "keeps the rows of a session it forgets": {
    caught: "commit:",
    make: () => {
      const kept = new Map<string, ReadonlyMap<string, string>>();
      return changing({
        commit: async (store, key, commit) => {
          const { rows } = await store.load(key, { ranges: [["!", "~"]] });
          const outcome = await store.commit(key, commit);
          if (commit.record === null && outcome === "ok") kept.set(key.sessionId, rows);
          return outcome;
        },
        load: async (store, key, want) => {
          const view = await store.load(key, want);
          return { ...view, rows: new Map([...(kept.get(key.sessionId) ?? []), ...view.rows]) };
        },
      });
    },
  },
  "appends whatever the epoch": {
    caught: "append: another epoch alone",
    make: () => changing({ append: (store, appends) => appendWith(store, appends, "epoch") }),
  },
  "appends whatever the snapshot": {
    caught: "append: another snapshot alone",
    make: () => changing({ append: (store, appends) => appendWith(store, appends, "snapshotId") }),
  },
  "writes the part of an append before the row that fences it": {
    caught: "append: one row with another value",
    make: () =>
      changing({
        append: async (store, appends) =>
          Promise.all(
            appends.map(async (append) => {
              for (const row of append.rows) {
                if ((await store.append([{ ...append, rows: [row] }]))[0] === "fenced")
                  return "fenced";
              }
              return (await store.append([{ ...append, rows: [] }]))[0] ?? "fenced";
            }),
          ),
      }),
  },
  "leaves out the last row of a range": {
    caught: "range:",
    make: () =>
      changing({
        range: async (store, key, query) => (await store.range(key, query)).slice(0, -1),
      }),
  },
  "knows no floor": {
    caught: "range: begins with the row at or below",
    make: () =>
      changing({
        range: (store, key, { range, limit, maxBytes }) =>
          store.range(key, { range, limit, maxBytes }),
      }),
  },
  "sorts keys like a dictionary": {
    caught: "range:",
    make: () =>
      changing({
        range: async (store, key, query) =>
          [...(await store.range(key, query))].toSorted((one: Row, other: Row) =>
            one.key.localeCompare(other.key),
          ),
      }),
  },
  "reads only the first range of a chain": {
    caught: "load: reads the ranges of the head's chain",
    make: () =>
      changing({
        load: async (store, key, want = {}) => {
          if (want.chainOf !== "head") return store.load(key, want);
          const { record } = await store.load(key);
          return store.load(key, { ranges: record?.chain.slice(0, 1) ?? [] });
        },
      }),
  },
  "gives due sessions backwards": {
    caught: "due:",
    make: () => changing({ due: async (store, query) => (await store.due(query)).toReversed() }),
  },
  "lists the sessions of one tenant to all": {
    caught: "tenants: list",
    make: () => changing({ list: (store, _, query) => store.list(createScope("one"), query) }),
  },
  "takes every tenant for the same": {
    caught: "tenants: load",
    make: () =>
      changing({
        load: (store, key, want) => store.load(ofNobody(key), want),
        commit: (store, key, commit) => store.commit(ofNobody(key), commit),
      }),
  },
  "trims session ids": {
    caught: "names:",
    make: () =>
      changing({
        load: (store, key, want) => store.load({ ...key, sessionId: key.sessionId.trim() }, want),
        commit: (store, key, commit) =>
          store.commit({ ...key, sessionId: key.sessionId.trim() }, commit),
      }),
  },
  "parses values and writes them again": {
    caught: "values:",
    make: () =>
      changing({
        commit: (store, key, commit) =>
          store.commit(key, {
            ...commit,
            put:
              commit.put?.map((row) => ({
                ...row,
                value: JSON.stringify(JSON.parse(row.value)),
              })) ?? [],
          }),
      }),
  },
  "wakes nobody": {
    caught: "watch:",
    make: () =>
      changing({
        watch: (store, key, options) => store.watch({ ...key, sessionId: "nobody" }, options),
      }),
  },
};

interface Changes {
  readonly load?: (
    store: MemoryStore,
    key: SessionKey,
    want?: Want,
  ) => ReturnType<MemoryStore["load"]>;
  readonly commit?: (
    store: MemoryStore,
    key: SessionKey,
    commit: Commit,
  ) => ReturnType<MemoryStore["commit"]>;
  readonly append?: (
    store: MemoryStore,
    appends: readonly Append[],
  ) => ReturnType<MemoryStore["append"]>;
  readonly range?: (
    store: MemoryStore,
    ...rest: Parameters<MemoryStore["range"]>
  ) => ReturnType<MemoryStore["range"]>;
  readonly due?: (
    store: MemoryStore,
    ...rest: Parameters<MemoryStore["due"]>
  ) => ReturnType<MemoryStore["due"]>;
  readonly list?: (
    store: MemoryStore,
    ...rest: Parameters<MemoryStore["list"]>
  ) => ReturnType<MemoryStore["list"]>;
  readonly watch?: (
    store: MemoryStore,
    ...rest: Parameters<MemoryStore["watch"]>
  ) => ReturnType<MemoryStore["watch"]>;
}

/** A store that does as told in these calls, with a good store at hand, and right in all others. */
function changing(changes: Changes): MemoryStore {
  const good = new MemoryStore();
  return new Proxy(good, {
    get: (_, name) => {
      const change = (changes as Record<string | symbol, unknown>)[name];
      const member: unknown = Reflect.get(good, name, good);
      if (typeof change === "function") return change.bind(undefined, good);
      return typeof member === "function" ? member.bind(good) : member;
    },
  });
}

async function appendWith(
  store: MemoryStore,
  appends: readonly Append[],
  ignored: "epoch" | "snapshotId",
): ReturnType<MemoryStore["append"]> {
  const loose = appends.map(async (append) => {
    const { record } = await store.load(append.key);
    if (record === null || record.active === null) return append;
    const holder = { epoch: record.epoch, snapshotId: record.active.snapshotId };
    return { ...append, fence: { ...append.fence, [ignored]: holder[ignored] } };
  });
  return store.append(await Promise.all(loose));
}

function ofNobody(key: SessionKey): SessionKey {
  return { ...key, scope: createScope("nobody") };
}
