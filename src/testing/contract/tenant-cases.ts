import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { createScope, type SessionKey, type SessionStore, type View } from "../../ledger/index.ts";
import { activeTurn, headRecord } from "../head-record.ts";
import type { ContractCase } from "./contract-case.ts";
import { createSession, keyOf, readAll } from "./contract-session.ts";

const TENANTS = ["one", "two", "three"] as const;
const ALL = ["!", "~"] as const;

type Tenant = (typeof TENANTS)[number];
/** Uses one method as the tenant, and asserts that it sees its own data only. */
type Use = (store: SessionStore, key: SessionKey, tenant: Tenant) => Promise<void>;

type OtherMember = "capabilities" | "schema" | "clock" | "open" | "survey" | "sweep" | "close";

// Every method that reaches sessions of a tenant. A new one without an entry does not compile.
const USES: Readonly<Record<Exclude<keyof SessionStore, OtherMember>, Use>> = {
  load: async (store, key, tenant) => {
    const chained = await store.load(key, { chainOf: "head" });
    const named = await store.load(key, { chainOf: { row: "snapshot/1" } });
    const others = await store.load(key, { rows: ["run/1"], tails: ["event/1/"], ranges: [ALL] });
    for (const view of [chained, named, others]) assertOwn(view, tenant);
  },
  commit: async (store, key, tenant) => {
    const { version, record } = await store.load(key);
    assert.ok(record !== null);
    const put = [{ key: `run/${version + 1}`, value: JSON.stringify(tenant) }];
    const drop = [["event/1/000002", "event/1/000002"]] as const;
    assert.equal(await store.commit(key, { expect: version, record, put, drop }), "ok");
    assert.equal(await store.commit(key, { expect: version, record }), "conflict");
    assert.equal(await store.commit(key, { expect: version + 1, record: null }), "ok");
  },
  append: async (store, key, tenant) => {
    const rows = [{ key: "event/1/000009", value: JSON.stringify(tenant) }];
    const outcomes = await store.append(
      TENANTS.map((snapshotId) => ({ key, fence: { snapshotId, epoch: 1 }, rows })),
    );
    assert.deepEqual(
      outcomes,
      TENANTS.map((other) => (other === tenant ? "ok" : "fenced")),
    );
  },
  range: async (store, key, tenant) => {
    const rows = await store.range(key, {
      range: ["event/1/000001", "~"],
      floorWithin: "!",
      limit: 100,
      maxBytes: 1e6,
    });
    assert.ok(rows.length > 0);
    for (const row of rows) assertOwnRow(row.value, tenant);
  },
  due: async (store) => {
    const keys = await store.due({ kind: "work", agents: ["agent"], limit: 100 });
    assert.deepEqual(keys.map((key) => key.scope.tenant).toSorted(), [...TENANTS].toSorted());
    for (const key of keys) assertOwn(await store.load(key), key.scope.tenant);
  },
  watch: async (store, key) => {
    const controller = new AbortController();
    const changes = store.watch(key, { signal: controller.signal })[Symbol.asyncIterator]();
    await Promise.race([changes.next(), setTimeout(20)]);
    controller.abort();
    await changes.return?.();
  },
  list: async (store, key, tenant) => {
    for (const query of [{}, { agent: "agent" }, { activity: "active" as const }]) {
      const { sessions } = await store.list(createScope(tenant), { ...query, limit: 100 });
      assert.deepEqual(
        sessions.map((session) => [session.key, session.record.head]),
        [[key, tenant]],
      );
    }
  },
};

function assertOwn({ record, rows, tails }: View, tenant: string): void {
  assert.equal(record?.head, tenant);
  for (const value of [...rows.values(), ...[...tails.values()].map((row) => row.value)])
    assertOwnRow(value, tenant);
}

function assertOwnRow(value: string, tenant: string): void {
  assert.ok(value.includes(`"${tenant}"`), `of another tenant than ${tenant}: ${value}`);
}

/** The same session in every tenant, but for what is in it. */
async function createSessions(
  store: SessionStore,
): Promise<readonly (readonly [Tenant, SessionKey])[]> {
  const sessions = TENANTS.map((tenant) => [tenant, keyOf("session", { tenant })] as const);
  for (const [tenant, key] of sessions) {
    const active = activeTurn({ snapshotId: tenant });
    const record = headRecord({
      head: tenant,
      active,
      dueAt: 1,
      chain: [["delta/000000/000000", "delta/~"]],
    });
    const snapshot = { key: "snapshot/1", value: JSON.stringify({ tenant, chain: record.chain }) };
    const names = ["run/1", "event/1/000001", "event/1/000002", "delta/000000/000000"];
    const put = [...names.map((name) => ({ key: name, value: JSON.stringify(tenant) })), snapshot];
    await createSession(store, key, { record, put });
  }
  return sessions;
}

export const tenantCases: readonly ContractCase[] = Object.entries(USES).map(([method, use]) => ({
  name: `tenants: ${method} reads and writes only what is the tenant's own`,
  run: async (store) => {
    const sessions = await createSessions(store);
    for (const [tenant, key] of sessions) {
      const others = sessions.filter(([other]) => other !== tenant).map(([, other]) => other);
      const before = await Promise.all(others.map((other) => readAll(store, other)));
      await use(store, key, tenant);
      assert.deepEqual(await Promise.all(others.map((other) => readAll(store, other))), before);
    }
    const foreign = keyOf("session", { tenant: "four" });
    assert.equal((await readAll(store, foreign)).version, 0);
    assert.deepEqual((await store.list(foreign.scope, { limit: 10 })).sessions, []);
  },
}));
