import { setTimeout as sleep } from "node:timers/promises";
import { context, ProxyTracerProvider, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "opentelemetry-sdk";
import type { LocalAgent } from "turnkeep";
import { TraceStore } from "turnkeep/reflection";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { echoAgent } from "../agent/agents.ts";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { allFrames } from "../http/frames.ts";
import { reflecting, turn } from "./reflecting.ts";

const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;

/** Makes spans in spans, some of them after waiting, as models and tools do. */
function busyAgent(): LocalAgent {
  const tracer = trace.getTracer("kept from before");
  return agentOf({ store: new MemoryStore() }, async ({ session }, _, text) => {
    await tracer.startActiveSpan(`model of ${text}`, async (outer) => {
      await sleep(1);
      trace.getTracer("test").startSpan(`tool of ${text}`).end();
      outer.end();
    });
    session.addMessages(model("done"));
  });
}

/** Registers an SDK until the test has ended. */
function registerSdk(...processors: readonly TraceStore[]): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const isRegistered = trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter), ...processors] }),
  );
  expect(isRegistered).toBe(true);
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return exporter;
}

test("importing the package records no spans", () => {
  expect(hasDelegate()).toBe(false);
  reflecting([echoAgent()], { traces: false });
  expect(hasDelegate()).toBe(false);
});

describe("without an OpenTelemetry SDK", () => {
  test("a run has a trace id, in the answer, the headers and the stream", async () => {
    const { ask, open } = reflecting([busyAgent()]);
    const { body, headers } = await ask("agents/actor/execute", { body: turn("one") });
    expect(body.telemetry).toEqual({
      traceId: expect.stringMatching(TRACE_ID),
      spanId: expect.stringMatching(SPAN_ID),
    });
    expect(headers.get("x-trace-id")).toBe(body.telemetry.traceId);
    const streamed = await open("agents/actor/execute", { body: turn("two", { stream: true }) });
    const frames = await allFrames(streamed);
    const { data } = frames.find(({ event }) => event === "telemetry")!;
    expect(data.traceId).toMatch(TRACE_ID);
    expect(data.traceId).not.toBe(body.telemetry.traceId);
    const action = { key: "/agent/actor", input: { message: { role: "user", content: [] } } };
    const answer = await ask("runAction", { body: action });
    expect(answer.body.telemetry.traceId).toMatch(TRACE_ID);
  });

  test("the trace of a run shows its turns and the spans below them, also of runs at the same time", async () => {
    const { ask } = reflecting([busyAgent()]);
    expect((await ask("studio/info")).body.capabilities.traces).toBe(true);
    const texts = ["a", "b", "c", "d"];
    const answers = await Promise.all(
      texts.map((text) => ask("agents/actor/execute", { body: turn(text) })),
    );
    for (const [index, { body, headers }] of answers.entries()) {
      const { traceId, spanId } = body.telemetry;
      const text = texts[index];
      const { body: shown } = await ask(`traces/${traceId}?view=light`);
      expect(shown).toMatchObject({
        agentName: "actor",
        status: "success",
        runId: headers.get("x-run-id"),
        sessionId: body.result.sessionId,
      });
      expect(column(shown, "spanId")[0]).toBe(spanId);
      expect(column(shown, "name")).toEqual([
        "actor",
        "runTurn-1",
        `model of ${text}`,
        `tool of ${text}`,
      ]);
      expect(column(shown, "parent")).toEqual([null, 0, 1, 2]);
      const [starts, ends] = [column(shown, "start"), column(shown, "end")] as number[][];
      // A span lies within the one that it is part of.
      for (const inner of [1, 2, 3]) {
        expect(starts![inner]).toBeGreaterThanOrEqual(starts![inner - 1]!);
        expect(ends![inner]).toBeLessThanOrEqual(ends![inner - 1]!);
      }
    }
  });

  test("a trace store that was handed in is filled, with its own limits", async () => {
    const traces = new TraceStore({ mostTraces: 1 });
    const agent = busyAgent();
    const { ask } = reflecting([agent], { traces });
    await agent.runText("one");
    await agent.runText("two");
    expect((await ask("traces")).body).toMatchObject({ total: 1, droppedTraces: 1 });
  });

  test("spans carry what their makers say of them, and misuse breaks nothing", async () => {
    const traces = new TraceStore();
    reflecting([], { traces });
    const tracer = trace.getTracer("test");
    const span = tracer.startSpan("early", {
      attributes: { kind: "a", odd: (() => {}) as never, count: 10n as never },
      startTime: new Date(1000),
    });
    span.setAttribute("list", ["x", null]).setAttributes({ gone: undefined, yes: true });
    span.addEvent("noted", [2, 5e8]).addEvent("also", { why: "so" }, new Date(3000));
    span.recordException(new Error("told to"), new Date(3500));
    span.setStatus({ code: SpanStatusCode.ERROR }).updateName("late");
    span.addLink({ context: span.spanContext() }).addLinks([]).end([4, 0]);
    span.setAttribute("too", "late").setStatus({ code: SpanStatusCode.OK }).end();
    const other = tracer.startSpan("other", { root: true });
    other.end();
    const found = traces.find(span.spanContext().traceId);
    expect([...found!.spans.values()]).toMatchObject([
      {
        name: "late",
        startTime: 1000,
        endTime: 4000,
        statusCode: 2,
        attributes: { kind: "a", list: ["x", null], yes: true },
        events: [
          { name: "noted", time: 2500 },
          { name: "also", time: 3000 },
          { name: "exception", time: 3500 },
        ],
      },
    ]);
    expect(Object.keys([...found!.spans.values()][0]!.attributes)).toEqual(["kind", "list", "yes"]);
    expect(other.spanContext().traceId).not.toBe(span.spanContext().traceId);
  });

  test("a span's parent is the one of the context that is named, if one is named", () => {
    const traces = new TraceStore();
    reflecting([], { traces });
    const tracer = trace.getTracer("test");
    const parent = tracer.startSpan("parent");
    const named = trace.setSpan(context.active(), parent);
    tracer.startActiveSpan("active", (active) => {
      const child = tracer.startSpan("child", {}, named);
      const inner = tracer.startActiveSpan("inner", {}, named, (span) => span);
      for (const span of [child, inner]) {
        expect(span.spanContext().traceId).toBe(parent.spanContext().traceId);
        span.end();
      }
      const sibling = tracer.startSpan("sibling");
      expect(sibling.spanContext().traceId).toBe(active.spanContext().traceId);
      const root = tracer.startSpan("root", { root: true });
      expect(root.spanContext().traceId).not.toBe(active.spanContext().traceId);
    });
  });
});

describe("an OpenTelemetry SDK that is registered later", () => {
  test("gets all spans from then on, also from agents and tracers of before", async () => {
    const agent = busyAgent();
    const { ask } = reflecting([agent]);
    await agent.runText("before");
    const before = (await ask("traces")).body.total;
    const exporter = registerSdk();
    const { body } = await ask("agents/actor/execute", { body: turn("after") });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name).toSorted()).toEqual([
      "actor",
      "model of after",
      "runTurn-1",
      "tool of after",
    ]);
    for (const span of spans) expect(span.spanContext().traceId).toBe(body.telemetry.traceId);
    const refused = await ask("traces");
    expect([before > 0, refused.status]).toEqual([true, 501]);
    expect(refused.body.error.message).toContain("an OpenTelemetry SDK is registered");
    expect((await ask("studio/info")).body.capabilities.traces).toBe(false);
  });

  test("fills a trace store that it was handed", async () => {
    const traces = new TraceStore();
    const agent = busyAgent();
    const { ask } = reflecting([agent], { traces });
    await agent.runText("before");
    registerSdk(traces);
    await agent.runText("after");
    expect((await ask("traces")).body.traces).toMatchObject([{ spanCount: 4 }, { spanCount: 4 }]);
  });

  test("is left alone when it was there first", async () => {
    const exporter = registerSdk();
    const { ask } = reflecting([busyAgent()]);
    const { body } = await ask("agents/actor/execute", { body: turn("hi") });
    expect(exporter.getFinishedSpans()).toHaveLength(4);
    expect(body.telemetry.traceId).toMatch(TRACE_ID);
    expect((await ask("traces")).status).toBe(501);
  });
});

function hasDelegate(): boolean {
  const provider = trace.getTracerProvider();
  return !(
    provider instanceof ProxyTracerProvider && provider.getDelegateTracer("any") === undefined
  );
}

function column(
  { columns, spans }: { readonly columns: readonly string[]; readonly spans: unknown[][] },
  name: string,
): readonly unknown[] {
  return spans.map((row) => row[columns.indexOf(name)]);
}
