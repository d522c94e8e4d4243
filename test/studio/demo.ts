import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import { BasicTracerProvider } from "opentelemetry-sdk";
import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { toNodeHandler } from "turnkeep/node";
import { TraceStore } from "turnkeep/reflection";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { type Studio, studio, type StudioOptions } from "turnkeep/studio";
import { WIDE } from "../http/serving.ts";
import { whenOver } from "../support/when-over.ts";
import { definePlanner, HASTY, type Plan } from "./planner.ts";
import "../support/built.ts";

/** A running Studio over agents that need no model. */
export interface Demo {
  readonly studio: Studio;
  readonly planner: LocalAgent<Plan>;
  readonly research: LocalAgent<Plan>;
  readonly store: SessionStore;
  readonly origin: string;
  readonly port: number;
  /** Where to begin, with the token. */
  readonly link: string;
  readonly url: (path: string) => string;
  readonly traces: TraceStore;
  readonly close: () => Promise<void>;
}

export async function startDemo(
  options: Partial<StudioOptions> & {
    readonly port?: number;
    /** Sessions that other processes work on; the planner here does not. */
    readonly database?: string;
    readonly isTraced?: boolean;
    /** Agents besides those of the demo. */
    readonly more?: readonly LocalAgent[];
  } = {},
): Promise<Demo> {
  const { port: wanted = 0, database, isTraced = true, more = [], ...rest } = options;
  const folder = await mkdtemp(join(tmpdir(), "studio-"));
  const store = await openSqliteStore(database ?? join(folder, "sessions.db"));
  const elsewhere = { dispatcher: { dispatch: async () => {} }, ...HASTY };
  const planner = definePlanner(store, "planner", database === undefined ? {} : elsewhere);
  const research = definePlanner(store, "research");
  const weather = defineWeather();
  const agents = [planner, research, weather, ...more];
  const traces = collectTraces();
  const served = studio(agents, {
    environment: "test",
    name: "demo-app",
    version: "1.4.0",
    ...(isTraced && { traces }),
    limits: WIDE,
    ...rest,
  });
  const answer = toNodeHandler(served);
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    studio: served,
    planner,
    research,
    store,
    origin,
    port,
    traces,
    link: served.linkAt(origin),
    url: (path) => `${origin}${served.path}${path}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all(agents.map((agent) => agent.close()));
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

// One for all of a file: OpenTelemetry takes no second.
let collected: TraceStore | undefined;

function collectTraces(): TraceStore {
  if (collected) return collected;
  collected = new TraceStore();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [collected] }));
  whenOver(() => {
    trace.disable();
    context.disable();
    collected = undefined;
  });
  return collected;
}

// Its clients carry the state.
function defineWeather(): LocalAgent<{ asked: number }> {
  return defineCustomAgent<{ asked: number }>(
    { name: "weather", description: "Answers about the weather, and keeps nothing." },
    async ({ session, respond }) => {
      await session.run(() => {
        session.updateCustom((custom) => ({ asked: (custom?.asked ?? 0) + 1 }));
        respond.text("Sunny, as always.");
        session.addMessages({ role: "model", content: [{ text: "Sunny, as always." }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}
