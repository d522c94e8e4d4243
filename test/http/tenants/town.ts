import type { LocalAgent, SessionStore } from "turnkeep";
import { type Authenticate, createHandler, type Handler, ownerOf } from "turnkeep/http";
import { echoAgent } from "../../agent/agents.ts";
import { collect } from "../../agent/authoring/turns.ts";
import { type Answer, type Ask, askHandler, WIDE } from "../serving.ts";
import type { Ids } from "./route-cases.ts";

/** Somebody with a session of their own. */
export interface Citizen {
  readonly tenant: string;
  readonly principal: string;
  readonly ids: Ids;
  readonly ask: (path: string, ask?: Ask) => Promise<Answer>;
  /** Everything that is kept for them, as it stands. */
  readonly kept: () => Promise<string>;
}

// Names that could be taken for each other if they were put together carelessly.
const TENANTS = ["a", "a/b", "a%2Fb"];
const PRINCIPALS = ["b", "b/c"];

/** Three tenants with two principals each, and what they talked of with one agent. */
export async function townOf(
  store: SessionStore,
  sessionsOf: "principal" | "tenant" = "principal",
): Promise<readonly Citizen[]> {
  const agent = echoAgent({ store });
  const handler = createHandler([agent], { auth, sessionsOf, limits: { ...WIDE, streams: 1000 } });
  const people = TENANTS.flatMap((tenant) =>
    PRINCIPALS.map((principal) => ({ tenant, principal })),
  );
  const town: Citizen[] = [];
  for (const [number, who] of people.entries()) {
    const tenant = ownerOf(sessionsOf === "tenant" ? { tenant: who.tenant } : who);
    town.push(await settle({ agent, handler, tenant, number }, who));
  }
  return town;
}

const auth: Authenticate = ({ headers }) => {
  const [tenant = "", principal = ""] = JSON.parse(headers.get("x-who") ?? "[]") as string[];
  return { tenant, principal, isOperator: headers.get("x-operator") === "yes" };
};

interface Place {
  readonly agent: LocalAgent;
  readonly handler: Handler;
  /** Whose the sessions are, in process. */
  readonly tenant: string;
  readonly number: number;
}

async function settle(
  { agent, handler, tenant, number }: Place,
  who: { readonly tenant: string; readonly principal: string },
): Promise<Citizen> {
  const session = `session-${number}`;
  const { principal } = who;
  const options = { tenant, principal, sessionId: session };
  const first = await agent.runText("one", { ...options, requestId: "known-request" });
  const { runId, output } = agent.streamText(`canary-${number}`, options);
  const { snapshotId = "" } = await output;
  await agent.label(session, { label: "good", snapshotId }, { tenant });
  return {
    ...who,
    ids: { session, snapshot: snapshotId, earlier: first.snapshotId ?? "", run: runId },
    ask: async (path, { headers, ...rest } = {}) =>
      await askHandler(handler, path, {
        ...rest,
        headers: { ...headers, "x-who": JSON.stringify([who.tenant, principal]) },
      }),
    kept: async () => {
      const lines = await collect(agent.exportSession(session, { tenant }));
      return lines.join("");
    },
  };
}
