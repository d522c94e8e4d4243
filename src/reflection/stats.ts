import type { InspectedSnapshot } from "../agent/index.ts";
import { jsonResponse } from "../http/index.ts";
import { timeOf } from "./find-sessions.ts";
import { costOf } from "./prices.ts";
import { percentiles } from "./percentiles.ts";
import { invalid } from "./query.ts";
import { SessionScan } from "./session-scan.ts";
import { spansByKind } from "./span-kinds.ts";
import type { StudioExchange } from "./studio-exchange.ts";
import { sumUsage } from "./sum-usage.ts";

// What one request looks at, at most. The last updated sessions come first.
const MOST_SESSIONS = 500;
const MOST_TURNS = 5000;
const SERIES_POINTS = 48;
const HOUR = 3_600_000;

/** Sums over the turns of the sessions last updated, and how many of them were counted. */
export async function readStats(exchange: StudioExchange): Promise<Response> {
  const { url, services, traces } = exchange;
  const to = timeOf(url, "to") ?? services.clock.now();
  const from = timeOf(url, "from") ?? to - 24 * HOUR;
  if (from >= to) throw invalid("'from' must be before 'to'.");
  const { turns, sessions, isComplete } = await collectTurns(exchange, { from, to });
  return jsonResponse({
    from,
    to,
    counted: { sessions, turns: turns.length, isComplete },
    turns: {
      total: turns.length,
      byStatus: countBy(turns.map(({ status }) => status ?? "unknown")),
      byFinishReason: countBy(turns.map(({ finishReason }) => finishReason ?? "none")),
    },
    errors: countBy(turns.flatMap(({ error }) => (error ? [error.status ?? "INTERNAL"] : []))),
    usage: sumUsage(turns.map(({ usage }) => usage)),
    ...costsOf(exchange, turns),
    /** From when the input was taken in to when the snapshot was kept, waiting included. */
    durationMs: percentiles(turns.map(durationOf)),
    series: seriesOf(turns, { from, to }),
    ...(traces && spansByKind(traces, { from, to })),
  });
}

// Agents have prices of their own, so each turn is counted by itself.
function costsOf({ studio }: StudioExchange, turns: readonly CountedTurn[]): object {
  const { prices } = studio.options;
  if (prices === undefined) return {};
  const costs = turns.flatMap(({ agentName, usage }) => costOf(prices, agentName, usage) ?? []);
  const amount = costs.reduce((sum, cost) => sum + cost, 0);
  return { cost: { amount, currency: prices.currency, turns: costs.length } };
}

type CountedTurn = InspectedSnapshot & { readonly agentName: string };

interface Window {
  readonly from: number;
  readonly to: number;
}

async function collectTurns(
  { keepingAgents, reader }: StudioExchange,
  { from, to }: Window,
): Promise<{
  readonly turns: readonly CountedTurn[];
  readonly sessions: number;
  readonly isComplete: boolean;
}> {
  const scan = new SessionScan(keepingAgents, { reader });
  const turns: CountedTurn[] = [];
  for (let sessions = 0; sessions < MOST_SESSIONS; sessions += 1) {
    const next = await scan.next();
    // Whatever comes after was not touched since.
    if (next === undefined || next.session.updatedAt < from) {
      return { turns, sessions, isComplete: true };
    }
    const { agent, session } = next;
    const all = await agent.inspector.listSnapshots(session.sessionId, reader);
    const own = all.filter((turn) => isTurn(turn) && endOf(turn) >= from && endOf(turn) <= to);
    const counted = own.slice(0, MOST_TURNS - turns.length);
    turns.push(...counted.map((turn) => ({ ...turn, agentName: agent.name })));
    if (turns.length >= MOST_TURNS) return { turns, sessions: sessions + 1, isComplete: false };
  }
  return { turns, sessions: MOST_SESSIONS, isComplete: false };
}

function isTurn({ event, status }: InspectedSnapshot): boolean {
  return event === "turn-end" && status !== "pending" && status !== "expired";
}

function endOf({ updatedAt, createdAt }: InspectedSnapshot): number {
  return Date.parse(updatedAt ?? createdAt);
}

function durationOf(turn: InspectedSnapshot): number {
  return endOf(turn) - Date.parse(turn.createdAt);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function seriesOf(turns: readonly InspectedSnapshot[], { from, to }: Window): readonly object[] {
  const step = (to - from) / SERIES_POINTS;
  const groups = Array.from({ length: SERIES_POINTS }, (): InspectedSnapshot[] => []);
  for (const turn of turns) {
    const index = Math.min(Math.floor((endOf(turn) - from) / step), SERIES_POINTS - 1);
    groups[index]?.push(turn);
  }
  return groups.map((group, index) => ({
    time: Math.round(from + index * step),
    ...pointOf(group),
  }));
}

function pointOf(turns: readonly InspectedSnapshot[]): object {
  const { inputTokens = 0, outputTokens = 0 } = sumUsage(turns.map(({ usage }) => usage));
  const times = percentiles(turns.map(durationOf));
  return {
    turns: turns.length,
    failed: turns.filter(({ status }) => status === "failed").length,
    inputTokens,
    outputTokens,
    p50: times?.p50 ?? null,
    p95: times?.p95 ?? null,
  };
}
