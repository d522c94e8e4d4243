import { trace } from "@opentelemetry/api";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { allFrames, framesOf } from "../http/frames.ts";
import { reflecting, turn } from "./reflecting.ts";
import { tracing } from "./tracing.ts";

/** Says what a model and a tool would, inside spans of their own. */
function busyAgent(options: Parameters<typeof agentOf>[0] = {}) {
  return agentOf({ store: new MemoryStore(), recordState: true, ...options }, ({ session }) => {
    const tracer = trace.getTracer("test");
    for (const subtype of ["model", "tool"]) {
      tracer
        .startSpan(`a ${subtype}`, {
          attributes: { "genkit:metadata:subtype": subtype, "genkit:input": "said to it" },
        })
        .end();
    }
    session.addMessages(model("done"));
  });
}

/** Attributes that hold what was said, by Genkit's, OpenTelemetry's and others' conventions. */
const SPOKEN = [
  "genkit:input",
  "genkit:output",
  "genkit:init",
  "genkit:metadata:context",
  "genkit:metadata:interrupt",
  "genkit:metadata:resumed",
  "gen_ai.prompt",
  "gen_ai.completion",
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
  "an application's own",
];

/** Hides its state, while a tool's span tells it in every way that spans can. */
function secretiveAgent() {
  const transformState = <State>(state: State): State => state;
  return agentOf({ store: new MemoryStore(), transformState, recordState: true }, ({ session }) => {
    const span = trace.getTracer("test").startSpan("pay");
    for (const name of SPOKEN) span.setAttribute(name, "CANARY");
    span.setAttribute("genkit:metadata:subtype", "tool");
    span.setAttribute("gen_ai.usage.input_tokens", 7);
    span.addEvent("CANARY");
    span.end();
    session.addMessages(model("CANARY"));
  });
}

describe("traces", () => {
  test("are found by what they are of, and lead there", async () => {
    const traces = tracing();
    const agent = busyAgent();
    const { ask } = reflecting([agent], { traces });
    const { body, headers } = await ask("agents/actor/execute", {
      body: turn("hi", { init: { sessionId: "s" }, telemetryLabels: { source: "dev-ui" } }),
    });
    const { traceId, spanId } = body.telemetry;
    expect(headers.get("x-trace-id")).toBe(traceId);
    const { snapshotId } = body.result;
    const runId = headers.get("x-run-id");
    await agent.runText("another", { sessionId: "other" });
    const queries = [`snapshotId=${snapshotId}`, "sessionId=s", `runId=${runId}`, `q=${traceId}`];
    for (const query of queries) {
      const found = (await ask(`traces?${query}`)).body;
      expect(found.traces, query).toMatchObject([
        { traceId, runId, agentName: "actor", sessionId: "s", snapshotIds: [snapshotId] },
      ]);
    }
    expect((await ask("traces")).body).toMatchObject({ total: 2, droppedTraces: 0 });
    const { body: page } = await ask("traces?limit=1");
    const next = await ask(`traces?limit=1&continuationToken=${page.continuationToken}`);
    expect(next.body.traces).toMatchObject([{ traceId }]);
    expect((await ask("traces?status=error")).body.traces).toEqual([]);
    expect((await ask(`runs/${runId}`)).body.traceId).toBe(traceId);
    const root = (await ask(`traces/${traceId}/spans/${spanId}`)).body;
    expect(root.attributes).toMatchObject({ source: "dev-ui", "genkit:key": "/agent/actor" });
    expect((await ask("traces/none")).status).toBe(404);
    expect((await ask(`traces/${traceId}/spans/none`)).status).toBe(404);
  });

  test("are light when asked, and tell all of one span", async () => {
    const traces = tracing();
    const { ask } = reflecting([busyAgent()], { traces });
    const { traceId } = (await ask("agents/actor/execute", { body: turn("hi") })).body.telemetry;
    const light = await ask(`traces/${traceId}?view=light`);
    const { columns, spans } = light.body;
    const column = (name: string) =>
      spans.map((row: readonly unknown[]) => row[columns.indexOf(name)]);
    expect(column("name")).toEqual(["actor", "runTurn-1", "a model", "a tool"]);
    expect(column("parent")).toEqual([null, 0, 1, 1]);
    expect(column("kind")).toEqual(["agent", "other", "model", "tool"]);
    expect(light.text).not.toContain("said to it");
    const whole = await ask(`traces/${traceId}`);
    expect(whole.text).toContain("said to it");
    for (const [at, { spanId, startTime, endTime, statusCode }] of whole.body.spans.entries()) {
      expect([column("spanId")[at], column("statusCode")[at]]).toEqual([spanId, statusCode]);
      const { startTime: origin } = light.body;
      expect(origin + column("start")[at]).toBeCloseTo(startTime, 2);
      expect(origin + column("end")[at]).toBeCloseTo(endTime, 2);
    }
    const spanId = column("spanId")[2];
    const span = (await ask(`traces/${traceId}/spans/${spanId}`)).body;
    expect(span.attributes["genkit:input"]).toBe("said to it");
    expect(span).toMatchObject({ kind: "model", inputTokens: 0, outputTokens: 0 });
    expect(span.endTime).toBeGreaterThanOrEqual(span.startTime);
  });

  test("are watched while they grow", async () => {
    const traces = tracing();
    let go = (): void => {};
    const gone = new Promise<void>((resolve) => (go = resolve));
    const agent = agentOf({ store: new MemoryStore() }, async () => await gone);
    const { ask, open } = reflecting([agent], { traces });
    const response = await open("agents/actor/execute", { body: turn("hi", { stream: true }) });
    const traceId = response.headers.get("x-trace-id") ?? "";
    const begun = (await ask(`traces/${traceId}?view=light`)).body;
    expect(begun.spans[0][begun.columns.indexOf("end")]).toBeNull();
    const events: string[] = [];
    const watched = framesOf(await open(`traces/${traceId}/stream`));
    for await (const { event, data } of watched) {
      events.push(`${event} ${data.name ?? ""}`.trim());
      if (events.length === 2) go();
    }
    expect(events.slice(0, 2)).toEqual(["span_start actor", "span_start runTurn-1"]);
    expect(events.slice(2)).toEqual(["span_end runTurn-1", "span_end actor", "done"]);
    await response.text();
    // One that is over is told, and that was it.
    const over = await allFrames(await open(`traces/${traceId}/stream`));
    expect(over.at(-1)?.event).toBe("done");
  });

  test("make room for newer ones, and it is said how many went", async () => {
    const traces = tracing({ mostTraces: 3, mostSpans: 2 });
    const agent = busyAgent();
    for (let number = 0; number < 5; number += 1) await agent.runText("hi");
    const { ask } = reflecting([agent], { traces });
    const { body } = await ask("traces");
    expect(body).toMatchObject({ total: 3, droppedTraces: 2 });
    const [{ traceId }] = body.traces;
    expect((await ask(`traces/${traceId}`)).body).toMatchObject({ spanCount: 2, droppedSpans: 2 });
  });

  test("tell nothing of what was said where an agent hides something", async () => {
    const traces = tracing();
    const { ask } = reflecting([secretiveAgent()], { traces });
    const { traceId } = (await ask("agents/actor/execute", { body: turn("hi") })).body.telemetry;
    const paths = ["", "?view=full", "?view=light", "/stream"];
    const { spans } = (await ask(`traces/${traceId}`)).body;
    for (const { spanId } of spans) paths.push(`/spans/${spanId}`);
    for (const path of paths) {
      const { status, text } = await ask(`traces/${traceId}${path}`);
      expect(status, path).toBe(200);
      expect(text, path).not.toContain("CANARY");
    }
    const [root] = spans;
    expect(root.attributes).toMatchObject({
      "genkit:key": "/agent/actor",
      "genkit:state": "success",
    });
    const tool = spans.find(({ name }: { name: string }) => name === "pay");
    expect(tool.attributes).toEqual({
      "genkit:metadata:subtype": "tool",
      "gen_ai.usage.input_tokens": 7,
    });
    const { body } = await ask(`traces/${traceId}/spans/${tool.spanId}`);
    expect(body).toMatchObject({ redacted: true, kind: "tool", inputTokens: 7 });
  });

  test("tell all of it where raw state is shown", async () => {
    const traces = tracing();
    const { ask } = reflecting([secretiveAgent()], { traces, revealRaw: true });
    const { traceId } = (await ask("agents/actor/execute", { body: turn("hi") })).body.telemetry;
    const { text } = await ask(`traces/${traceId}`);
    for (const name of SPOKEN) expect(text).toContain(`"${name}":"CANARY"`);
  });
});

test("where spans are not recorded there is no telemetry, and nothing breaks", async () => {
  const { ask, open } = reflecting([echoAgent({ store: new MemoryStore() })], { traces: false });
  const { body } = await ask("agents/echo/execute", {
    body: turn("hi", { telemetryLabels: { source: "dev-ui" } }),
  });
  expect(body.telemetry).toEqual({});
  const frames = await allFrames(
    await open("agents/echo/execute", { body: turn("hi", { stream: true }) }),
  );
  expect(frames.at(-1)).toMatchObject({ event: "telemetry", data: {} });
  const wrong = await ask("agents/echo/execute", {
    body: turn("hi", { telemetryLabels: { source: 5 } }),
  });
  expect(wrong.status).toBe(400);
});

test("stats tell what was counted, by models and tools too", async () => {
  const traces = tracing();
  const agent = agentOf({ store: new MemoryStore() }, ({ session }, _turn, text) => {
    trace
      .getTracer("test")
      .startSpan("gpt", { attributes: { "genkit:metadata:subtype": "model" } })
      .end();
    if (text === "fail") throw new Error("told to");
    session.addMessages(model("ok"));
    return { finishReason: "stop", usage: { inputTokens: 10, outputTokens: 1 } };
  });
  for (const text of ["a", "b", "fail"]) await agent.runText(text, { sessionId: "s" });
  await agent.runText("c", { sessionId: "t" });
  const { ask } = reflecting([agent], { traces });
  const { body } = await ask("stats");
  expect(body).toMatchObject({
    counted: { sessions: 2, turns: 4, isComplete: true },
    turns: { total: 4, byStatus: { completed: 3, failed: 1 } },
    usage: { inputTokens: 30, outputTokens: 3 },
    errors: { INTERNAL: 1 },
    byModel: { gpt: { calls: 4, errors: 0 } },
    byTool: {},
  });
  expect(body.durationMs.p50).toBeLessThanOrEqual(body.durationMs.p99);
  const sumOf = (name: string): number =>
    body.series.reduce((sum: number, point: Record<string, number>) => sum + (point[name] ?? 0), 0);
  const sums = ["turns", "failed", "inputTokens", "outputTokens"].map(sumOf);
  expect(sums).toEqual([4, 1, 30, 3]);
  const last = body.series.findLast(({ turns }: { turns: number }) => turns > 0);
  expect(last.p95).toBeGreaterThanOrEqual(last.p50);
  expect(body.series[0]).toMatchObject({ turns: 0, p50: null, p95: null });
  const old = await ask("stats?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z");
  expect(old.body).toMatchObject({ turns: { total: 0 }, durationMs: null });
  expect((await ask("stats?agent=nobody")).body.counted.sessions).toBe(0);
  expect((await ask("stats?from=5&to=4")).status).toBe(400);
});

test("stats count a call that ended within the last millisecond of their time, and none that ended later", async () => {
  const traces = tracing();
  const at = Date.parse("2026-01-01T00:00:00Z");
  for (const end of [at + 0.7, at + 1]) {
    trace
      .getTracer("test")
      .startSpan("gpt", {
        attributes: { "genkit:metadata:subtype": "model" },
        startTime: new Date(at - 5),
      })
      .end([Math.floor(end / 1000), Math.round((end % 1000) * 1e6)]);
  }
  const { ask } = reflecting([busyAgent()], { traces });
  const { byModel } = (await ask(`stats?from=${at - 10}&to=${at}`)).body;
  expect(byModel).toMatchObject({ gpt: { calls: 1 } });
});
