import { createHandler } from "turnkeep/http";
import { describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/http/routes.ts";
import { echoAgent, user } from "../../agent/agents.ts";
import { STORES } from "../../agent/authoring/stores.ts";
import { type Answer, askHandler, WIDE } from "../serving.ts";
import { type Ids, ROUTE_CASES } from "./route-cases.ts";
import { type Citizen, townOf } from "./town.ts";

const NAMES = ROUTES.map(({ method, path }) => `${method} ${path}`);

it("has a case for every route", () => {
  expect(Object.keys(ROUTE_CASES).toSorted()).toEqual(NAMES.toSorted());
  const withIds = NAMES.filter((name) => /:(?!agent)/.test(name));
  for (const name of withIds) expect(ROUTE_CASES[name], name).not.toEqual([]);
});

describe.each(STORES)("three tenants with two principals each over %s", (_, open) => {
  it("have the names of others answered exactly as names of nobody", async () => {
    const town = await townOf(await open());
    const before = await Promise.all(town.map(({ kept }) => kept()));
    let asked = 0;
    for (const [one, other] of pairsOf(town)) {
      for (const name of NAMES) {
        for (const ask of ROUTE_CASES[name] ?? []) {
          const nobodys = nobodysIds((asked += 1));
          const foreign = await one.ask(...ask(other.ids));
          const missing = await one.ask(...ask(nobodys));
          const told = plain(foreign, other.ids);
          expect(told, `${name}: ${foreign.text}`).toEqual(plain(missing, nobodys));
          expect(foreign.text).not.toMatch(/canary/i);
          // What was begun under somebody else's name is one's own.
          await one.ask(`/agents/echo/sessions/${other.ids.session}`, { method: "DELETE" });
        }
      }
    }
    expect(asked).toBe(30 * Object.values(ROUTE_CASES).flat().length);
    expect(await Promise.all(town.map(({ kept }) => kept()))).toEqual(before);
  });

  it("are listed nothing but their own", async () => {
    const town = await townOf(await open());
    for (const { ask, ids } of town) {
      const { body } = await ask("/agents/echo/sessions");
      expect(body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual([
        ids.session,
      ]);
    }
  });

  it("have what is their own answered", async () => {
    const town = await townOf(await open());
    for (const { ask, ids } of town) {
      for (const name of NAMES.filter((one) => !one.startsWith("DELETE"))) {
        for (const one of ROUTE_CASES[name] ?? []) {
          const { status, text } = await ask(...one(ids));
          // The file of no session, and sessions that the case before moved on or still works in.
          const isRefused = name.endsWith("/import") || /STALE_HEAD|SESSION_BUSY/.test(text);
          expect(status, `${name}: ${text}`).toSatisfy((code: number) =>
            isRefused ? code === 400 || code === 409 : code < 300,
          );
        }
      }
      const { status } = await ask(`/agents/echo/sessions/${ids.session}`, { method: "DELETE" });
      expect(status).toBe(200);
    }
  });

  it("are kept apart from a tenant whose name reads like a principal's on the same store", async () => {
    const agent = echoAgent({ store: await open() });
    const identity = { tenant: "acme", principal: "ada" };
    const own = createHandler([agent], { auth: () => identity, limits: WIDE });
    const body = { input: user("canary"), init: { sessionId: "secret" } };
    expect((await askHandler(own, "/agents/echo/runs", { body })).status).toBe(202);
    const names = ["acme/ada", "acme%2Fada", "acme%252Fada"];
    for (const tenant of names) {
      const auth = () => ({ tenant, principal: "mallory" });
      const shared = createHandler([agent], { auth, sessionsOf: "tenant", limits: WIDE });
      const { body: listed } = await askHandler(shared, "/agents/echo/sessions");
      expect(listed.sessions, tenant).toEqual([]);
      expect((await askHandler(shared, "/agents/echo/sessions/secret")).status, tenant).toBe(404);
    }
  });

  it("share sessions with their own tenant where they are the tenant's", async () => {
    const town = await townOf(await open(), "tenant");
    for (const [one, other] of pairsOf(town)) {
      const path = `/agents/echo/sessions/${other.ids.session}`;
      const { status, text } = await one.ask(path);
      const isShared = one.tenant === other.tenant;
      expect(status).toBe(isShared ? 200 : 404);
      expect(text.includes("CANARY")).toBe(isShared);
    }
    const [ann, bob] = town as [Citizen, Citizen];
    const { body } = await ann.ask("/agents/echo/sessions");
    expect(body.sessions).toHaveLength(2);
    // A key is its principal's own.
    const repeat = ROUTE_CASES["POST :agent/runs"]!.at(-1)!;
    expect((await ann.ask(...repeat(ann.ids))).headers.get("idempotent-replay")).toBe("true");
    expect((await bob.ask(...repeat(ann.ids))).status).toBe(422);
  });
});

function pairsOf(town: readonly Citizen[]): readonly (readonly [Citizen, Citizen])[] {
  return town.flatMap((one) =>
    town.flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );
}

function nobodysIds(number: number): Ids {
  const session = `nobody-${number}`;
  const id = (first: string): string => `${session}.${first.padEnd(26, "0")}`;
  return { session, snapshot: id("s"), earlier: id("e"), run: id("r") };
}

// Without what differs anyway: the ids that were asked for, ids that are new, and times.
function plain({ status, headers, text }: Answer, ids: Ids): object {
  const answer = Object.values(ids)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, id) => rest.replaceAll(id, "ID").replaceAll(id.split(".")[1] ?? id, "ID"), text)
    .replaceAll(/\b[0-9a-z]{26}\b/g, "NEW")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  const names = [...headers.keys()].filter((name) => name !== "x-request-id");
  return { status, answer, headers: names.map((name) => `${name}: ${headers.get(name)}`) };
}
