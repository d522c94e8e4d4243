import { type Answer, jsonResponse, type ServedAgent } from "../http/index.ts";
import {
  type Json,
  type JsonObject,
  parseAgentAbortRequest,
  parseGetSnapshotRequest,
  parseListSnapshotsRequest,
  TurnkeepError,
} from "../protocol/index.ts";
import { initSchema, INPUT_SCHEMA, OUTPUT_SCHEMA } from "./agent-schemas.ts";
import { talkTo } from "./genkit-talk.ts";
import { fieldsOf, invalid, textOf } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** How Genkit's tools know what can be done with an agent. */
const KEY = /^\/(agent|agent-snapshot|agent-abort|snapshot-store)\/(.+)$/;

type Work = (exchange: StudioExchange, agent: ServedAgent, input: Json) => Promise<unknown>;

/** The actions of all agents, by key, as Genkit's tools list them. */
export async function listActions({ services }: StudioExchange): Promise<Response> {
  const all = services.agents.list().flatMap(actionsOf);
  return jsonResponse(Object.fromEntries(all.map((action) => [action.key, action])));
}

export async function readHealth(): Promise<Response> {
  return new Response("OK", { headers: { "content-type": "text/plain" } });
}

interface Action {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly metadata: object;
}

function actionsOf(agent: ServedAgent): readonly Action[] {
  const { name, description, metadata } = agent;
  const talk: Action = {
    key: `/agent/${name}`,
    name,
    ...(description !== undefined && { description }),
    inputSchema: INPUT_SCHEMA,
    outputSchema: OUTPUT_SCHEMA,
    metadata: { type: "agent", agent: metadata, bidi: true, initSchema: initSchema(metadata) },
  };
  if (metadata.stateManagement !== "server") return [talk];
  const others = [
    `/agent-snapshot/${name}`,
    `/agent-abort/${name}`,
    `/snapshot-store/${name}/getSnapshot`,
    `/snapshot-store/${name}/listSnapshots`,
  ];
  return [
    talk,
    ...others.map((key) => ({ key, name: key.split("/").slice(2).join("/"), metadata: {} })),
  ];
}

/** Runs an action. With `stream=true` chunks come line by line, and then the result. */
export async function runAction(exchange: StudioExchange): Promise<Answer> {
  const fields = fieldsOf(await exchange.json());
  const key = textOf(fields, "key") ?? "";
  const [, kind, name = ""] = KEY.exec(key) ?? [];
  const { input, init, telemetryLabels } = fields;
  const agent = exchange.services.agents.get(kind === "snapshot-store" ? parentOf(name) : name);
  if (kind === undefined || agent === undefined) {
    throw new TurnkeepError("NOT_FOUND", `There is no action '${key}'.`);
  }
  if (kind === "agent") return await talkTo(exchange, agent, { input, init, telemetryLabels });
  if (agent.metadata.stateManagement !== "server") {
    throw new TurnkeepError("FAILED_PRECONDITION", `Agent '${agent.name}' has no store.`);
  }
  const work = WORKS.get(workOf(kind, name));
  if (work === undefined) throw new TurnkeepError("NOT_FOUND", `There is no action '${key}'.`);
  return jsonResponse({ result: await work(exchange, agent, input ?? {}), telemetry: {} });
}

/** Ends a run that is known by its trace, if it is of the caller's tenant. */
export async function cancelAction(exchange: StudioExchange): Promise<Response> {
  const traceId = textOf(fieldsOf(await exchange.json()), "traceId");
  if (traceId === undefined) throw invalid("'traceId' is required.");
  const run = exchange.studio.actions.get(traceId);
  const { tenant = run?.agent.tenant } = exchange.caller;
  if (run === undefined || run.tenant !== tenant) {
    throw new TurnkeepError("NOT_FOUND", "Action not found or already completed");
  }
  run.cancel();
  return jsonResponse({ message: "Action cancelled" });
}

function parentOf(name: string): string {
  return name.slice(0, Math.max(name.lastIndexOf("/"), 0));
}

function workOf(kind: string, name: string): string {
  return kind === "snapshot-store" ? name.slice(name.lastIndexOf("/") + 1) : kind;
}

const readSnapshot: Work = async ({ reader }, agent, input) => {
  const { snapshotId, sessionId } = parseGetSnapshotRequest(input);
  if (snapshotId !== undefined) return await agent.getSnapshot(snapshotId, reader);
  if (sessionId !== undefined) return await agent.getLatestSnapshot(sessionId, reader);
  throw invalid("getSnapshot needs 'snapshotId' or 'sessionId'.");
};

const listSnapshots: Work = async ({ reader }, agent, input) => {
  const { sessionId, ...page } = parseListSnapshotsRequest(input);
  if (sessionId === undefined) throw invalid("listSnapshots needs 'sessionId'.");
  return await agent.listSnapshots(sessionId, { ...reader, ...page, withState: true });
};

const abort: Work = async ({ reader }, agent, input) => {
  const { snapshotId } = parseAgentAbortRequest(input);
  const { status } = await agent.abort(snapshotId, reader);
  return { snapshotId, ...(status !== undefined && { status }) };
};

const WORKS: ReadonlyMap<string, Work> = new Map([
  ["agent-snapshot", readSnapshot],
  ["getSnapshot", readSnapshot],
  ["listSnapshots", listSnapshots],
  ["agent-abort", abort],
]);
