import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "opentelemetry-sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { AgentTelemetry, type TraceNotes } from "../../src/agent/telemetry.ts";
import { TurnkeepError } from "../../src/protocol/index.ts";

const CANARY = "canary-4711";
const telemetry = new AgentTelemetry({ agentName: "support" });
const telling = new AgentTelemetry({ agentName: "support", recordState: true });
const exporter = new InMemorySpanExporter();

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const spanNamed = (name: string): ReadableSpan =>
  exporter.getFinishedSpans().find((span) => span.name === name) ??
  expect.unreachable(`no span ${name}`);
const everythingRecorded = (): string =>
  JSON.stringify(
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  );

describe("without an SDK", () => {
  test("work is done, notes go nowhere, and nothing is asked for", async () => {
    const state = vi.fn<() => unknown>();
    const answer = await telling.traceRun({ sessionId: "s", input: state }, (run) => {
      run.setOutput(state);
      return telling.traceTurn({ sessionId: "user-42", number: 1, input: state }, async (turn) => {
        turn.setSnapshotId("snap");
        turn.setOutput(state);
        turn.setEnd("failed", "failed", new Error("no"));
        return "done";
      });
    });
    expect(answer).toBe("done");
    expect(state).not.toHaveBeenCalled();
  });

  test("errors come through", async () => {
    const fail = (): never => {
      throw new RangeError("no");
    };
    await expect(telemetry.traceRun({ sessionId: "s" }, fail)).rejects.toThrow(RangeError);
    await expect(
      telemetry.traceTurn({ sessionId: "user-42", number: 1 }, () =>
        Promise.reject(new RangeError("no")),
      ),
    ).rejects.toThrow(RangeError);
  });
});

describe("with an SDK", () => {
  beforeAll(() => {
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

  const twoTurns = (each: (notes: TraceNotes) => Promise<void>): Promise<void> =>
    telemetry.traceRun({ sessionId: "user-42", input: () => CANARY }, async (run) => {
      run.setOutput(() => CANARY);
      await telemetry.traceTurn({ sessionId: "user-42", number: 1, input: () => CANARY }, each);
      await telemetry.traceTurn({ sessionId: "user-42", number: 2, input: () => CANARY }, each);
    });

  test("a run is a span with its turns inside, described as Genkit does", async () => {
    await twoTurns(async (turn) => {
      await pause();
      turn.setSnapshotId("snap");
      turn.setEnd("completed", "stop");
    });
    const run = spanNamed("support");
    expect(run.parentSpanContext).toBeUndefined();
    expect(run.attributes).toEqual({
      "genkit:type": "action",
      "genkit:metadata:subtype": "agent",
      "genkit:key": "/agent/support",
      "genkit:metadata:agent": "support",
      "genkit:metadata:agent:sessionId": "user-42",
      "genkit:state": "success",
    });
    for (const [turnIndex, name] of ["runTurn-1", "runTurn-2"].entries()) {
      const turn = spanNamed(name);
      expect(turn.parentSpanContext?.spanId).toBe(run.spanContext().spanId);
      expect(turn.attributes).toEqual({
        "genkit:type": "flowStep",
        "genkit:metadata:agent": "support",
        "genkit:metadata:agent:sessionId": "user-42",
        "genkit:metadata:agent:turnIndex": turnIndex,
        "genkit:metadata:agent:snapshotId": "snap",
        "genkit:metadata:snapshotId": "snap",
        "genkit:metadata:agent:status": "completed",
        "genkit:metadata:agent:finishReason": "stop",
        "genkit:state": "success",
      });
      expect(turn.status.code).toBe(SpanStatusCode.UNSET);
    }
  });

  test("the span is the active one while the work lasts, and what it starts belongs to it", async () => {
    const tracer = trace.getTracer("test");
    await twoTurns(async () => {
      await pause();
      tracer.startSpan("model").end();
    });
    const parents = exporter
      .getFinishedSpans()
      .filter(({ name }) => name === "model")
      .map((span) => span.parentSpanContext?.spanId);
    expect(parents).toEqual(
      ["runTurn-1", "runTurn-2"].map((name) => spanNamed(name).spanContext().spanId),
    );
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  test("runs at the same time do not mix", async () => {
    const run = (sessionId: string): Promise<void> =>
      telemetry.traceRun({ sessionId }, async () => {
        await pause();
        await telemetry.traceTurn({ sessionId: "user-42", number: 1 }, pause);
      });
    await Promise.all(["a", "b", "c"].map(run));
    const spans = exporter.getFinishedSpans();
    const turns = spans.filter(({ name }) => name === "runTurn-1");
    const runs = spans.filter(({ name }) => name === "support");
    expect(new Set(turns.map((turn) => turn.parentSpanContext?.spanId))).toEqual(
      new Set(runs.map((each) => each.spanContext().spanId)),
    );
    expect(runs).toHaveLength(3);
  });

  test("nothing of the state is recorded, or even asked for, unless told to", async () => {
    const state = vi.fn<() => unknown>();
    await twoTurns(async (turn) => turn.setOutput(state));
    expect(everythingRecorded()).not.toContain(CANARY);
    expect(state).not.toHaveBeenCalled();
  });

  test("inputs and outputs are recorded when told to", async () => {
    await telling.traceRun({ sessionId: "s", input: () => ({ text: "hi" }) }, (run) => {
      run.setOutput(() => ({ finishReason: "stop" }));
      return telling.traceTurn(
        { sessionId: "user-42", number: 1, input: () => "in" },
        async (turn) => turn.setOutput(() => ({ state: { custom: 1 } })),
      );
    });
    expect(spanNamed("support").attributes).toMatchObject({
      "genkit:input": '{"text":"hi"}',
      "genkit:output": '{"finishReason":"stop"}',
    });
    expect(spanNamed("runTurn-1").attributes).toMatchObject({
      "genkit:input": '"in"',
      "genkit:output": '{"state":{"custom":1}}',
    });
  });

  test("what cannot be written down is left out, and the work goes on", async () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const input = (): never => {
      throw new Error("no input");
    };
    const work = async (turn: TraceNotes): Promise<string> => {
      turn.setOutput(() => loop);
      turn.setOutput(() => undefined);
      return "done";
    };
    expect(await telling.traceTurn({ sessionId: "user-42", number: 1, input }, work)).toBe("done");
    const { attributes } = spanNamed("runTurn-1");
    expect(attributes).toMatchObject({ "genkit:type": "flowStep", "genkit:state": "success" });
    expect(attributes).not.toHaveProperty("genkit:output");
  });

  test.each([
    {
      what: "a TurnkeepError",
      error: new TurnkeepError("NOT_FOUND", CANARY),
      status: "NOT_FOUND",
      name: "TurnkeepError",
    },
    {
      what: "another error",
      error: new RangeError(CANARY),
      status: "INTERNAL",
      name: "RangeError",
    },
    { what: "no error at all", error: CANARY, status: "INTERNAL", name: "Error" },
  ])(
    "a failure by $what is recorded by its status, without its text",
    async ({ error, status, name }) => {
      const work = telemetry.traceTurn({ sessionId: "user-42", number: 1 }, async () => {
        throw error;
      });
      await expect(work).rejects.toBe(error);
      const span = spanNamed("runTurn-1");
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: status });
      expect(span.attributes).toMatchObject({ "error.type": status, "genkit:state": "error" });
      expect(span.events[0]).toMatchObject({
        name: "exception",
        attributes: { "exception.type": name, "exception.message": status },
      });
      expect(everythingRecorded()).not.toContain(CANARY);
    },
  );

  test("a failure's text is recorded when told to", async () => {
    const work = telling.traceTurn({ sessionId: "user-42", number: 1 }, () =>
      Promise.reject(new RangeError(CANARY)),
    );
    await expect(work).rejects.toThrow(CANARY);
    expect(spanNamed("runTurn-1").events[0]?.attributes).toMatchObject({
      "exception.message": CANARY,
    });
  });

  test("a failure that is not thrown can be noted", async () => {
    await telemetry.traceTurn({ sessionId: "user-42", number: 1 }, async (turn) =>
      turn.setEnd("failed", "failed", new TurnkeepError("RESOURCE_EXHAUSTED", CANARY)),
    );
    expect(spanNamed("runTurn-1").status.message).toBe("RESOURCE_EXHAUSTED");
  });

  test("an error that comes out of work that was aborted is no failure", async () => {
    const work = telemetry.traceTurn({ sessionId: "user-42", number: 1 }, async (turn) => {
      turn.setEnd("aborted", "aborted");
      throw new Error("the operation was aborted");
    });
    await expect(work).rejects.toThrow("aborted");
    const span = spanNamed("runTurn-1");
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.events).toEqual([]);
    expect(span.attributes["genkit:state"]).toBe("success");
  });

  test("a run that fails ends every span it started", async () => {
    await expect(twoTurns(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(["runTurn-1", "support"]);
  });
});
