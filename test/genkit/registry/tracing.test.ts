import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "opentelemetry-sdk";
import { genkit, z } from "genkit";
import type { LocalAgent } from "turnkeep";
import { defineAgent, shareTracing } from "turnkeep/genkit";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { registered, type Registered, user } from "./registered.ts";
import { memory } from "./talker.ts";
import { defineThinker } from "./thinking-model.ts";

const exporter = new InMemorySpanExporter();

describe("with Genkit's tracing shared", () => {
  beforeAll(() => {
    shareTracing();
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
  });
  beforeEach(() => exporter.reset());
  afterAll(() => {
    trace.disable();
    context.disable();
  });

  test("run, turn, generate, model and tool are one tree under the caller's span", async () => {
    const { agent } = await clockAgent();
    const output = await inRequest(() => agent.runText("time?", { sessionId: "s" }));
    expect(output).toMatchObject({ finishReason: "stop" });
    const paths = pathsOf(exporter.getFinishedSpans());
    expect(paths).toEqual(
      expect.arrayContaining([
        "request",
        "request > timer",
        "request > timer > runTurn-1",
        "request > timer > runTurn-1 > generate",
        "request > timer > runTurn-1 > generate > tell",
        "request > timer > runTurn-1 > generate > clock",
      ]),
    );
    expect(paths.filter((path) => !path.startsWith("request"))).toEqual([]);
  });

  test("so they are under the action's, whose trace the caller is told", async () => {
    const { action } = await clockAgent();
    const { telemetry } = await inRequest(() => action.run(user("time?")));
    const spans = exporter.getFinishedSpans();
    expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(
      new Set([telemetry.traceId]),
    );
    expect(pathsOf(spans)).toEqual(
      expect.arrayContaining([
        "request > timer > timer > runTurn-1 > generate > tell",
        "request > timer > timer > runTurn-1 > generate > clock",
      ]),
    );
    const named = spans.find((span) => span.spanContext().spanId === telemetry.spanId);
    expect(named?.attributes).toMatchObject({
      "genkit:type": "action",
      "genkit:key": "/agent/timer",
      "genkit:metadata:subtype": "agent",
    });
  });

  test("an action that is refused says so in its span", async () => {
    const { action } = await clockAgent();
    await expect(inRequest(() => action.run(null))).rejects.toMatchObject({
      status: "INVALID_ARGUMENT",
    });
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: "timer", attributes: { "genkit:state": "error" } });
  });

  async function inRequest<Result>(work: () => Promise<Result>): Promise<Result> {
    return await trace.getTracer("test").startActiveSpan("request", async (span) => {
      try {
        return await work();
      } finally {
        span.end();
      }
    });
  }
});

/** Where each span stands, by the names of those above it. */
function pathsOf(spans: readonly ReadableSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
  };
  return spans.map(pathOf);
}

async function clockAgent(): Promise<{
  readonly agent: LocalAgent;
  readonly action: Registered;
}> {
  const ai = genkit({});
  defineThinker(ai, "tell", ({ isAnswered }) =>
    isAnswered ? "noon" : [{ tool: "clock", input: {} }],
  );
  const clock = ai.defineTool(
    { name: "clock", description: "The time.", inputSchema: z.object({}) },
    async () => "12:00",
  );
  const agent = defineAgent(ai, { name: "timer", model: "tell", tools: [clock], store: memory() });
  onTestFinished(() => agent.close());
  return { agent, action: await registered(ai, "/agent/timer") };
}
