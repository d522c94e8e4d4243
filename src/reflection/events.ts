import { type Answer, sayAll } from "../http/index.ts";
import { encodeSse } from "../protocol/index.ts";
import { OPEN_FRAME, PING_FRAME } from "./run-frames.ts";
import { SessionScan } from "./session-scan.ts";
import type { StudioExchange } from "./studio-exchange.ts";

// How often stores are asked while somebody listens, and for how many sessions.
const LOOK_MS = 1000;
const WATCHED = 100;

/** Which sessions, runs and traces changed, by their ids alone. */
export async function streamEvents(exchange: StudioExchange): Promise<Answer> {
  const { streamMs } = exchange.services.limits;
  return exchange.stream((stream) => sayAll(stream, framesOf(exchange)), {
    ping: PING_FRAME,
    mostMs: streamMs,
  });
}

async function* framesOf(exchange: StudioExchange): AsyncGenerator<string> {
  const { gone, services } = exchange;
  const traces = new Set<string>();
  const stop = exchange.traces?.listen((traceId) => traces.add(traceId));
  try {
    yield OPEN_FRAME;
    let seen = await lookAt(exchange);
    // Only now does the reader know that nothing will be missed.
    yield encodeSse({ event: "ready", data: "{}" });
    while (!gone.aborted) {
      await services.ports.timers
        .sleep(LOOK_MS, { signal: gone, inBackground: true })
        .catch(() => {});
      if (gone.aborted) return;
      const now = await lookAt(exchange);
      yield* changes(seen, now);
      seen = now;
      if (traces.size > 0) yield frame("tracesChanged", [...traces]);
      traces.clear();
    }
  } finally {
    stop?.();
  }
}

/** The sessions last updated, with what changes when they do. */
type Seen = ReadonlyMap<
  string,
  { readonly id: object; readonly state: string; readonly isBusy: boolean }
>;

async function lookAt({ keepingAgents, reader }: StudioExchange): Promise<Seen> {
  const scan = new SessionScan(keepingAgents, { reader });
  const seen = new Map<string, { id: object; state: string; isBusy: boolean }>();
  while (seen.size < WATCHED) {
    const next = await scan.next();
    if (next === undefined) break;
    const { agent, session } = next;
    const id = { agentName: agent.name, sessionId: session.sessionId };
    const { revision: state, isBusy } = session;
    seen.set(JSON.stringify(id), { id, state, isBusy });
  }
  return seen;
}

function* changes(before: Seen, after: Seen): Generator<string> {
  const changed = [...after].filter(([key, { state }]) => before.get(key)?.state !== state);
  // One that is gone was erased, unless newer ones pushed it out of sight.
  const gone = after.size < WATCHED ? [...before].filter(([key]) => !after.has(key)) : [];
  const sessions = [...changed, ...gone].map(([, { id }]) => id);
  if (sessions.length > 0) yield frame("sessionsChanged", sessions);
  const runs = changed.filter(([key, { isBusy }]) => isBusy || before.get(key)?.isBusy !== isBusy);
  if (runs.length > 0) {
    yield frame(
      "runsChanged",
      runs.map(([, { id }]) => id),
    );
  }
}

function frame(event: string, ids: readonly (object | string)[]): string {
  return encodeSse({ event, data: JSON.stringify({ ids }) });
}
