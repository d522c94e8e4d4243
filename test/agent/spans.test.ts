import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "opentelemetry-sdk";
import { MemoryStore } from "turnkeep/stores/memory";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { echoAgent, user } from "./agents.ts";
import { agentOf } from "./authoring/turns.ts";
import { gateOf, untilAborted } from "./life/waiting.ts";

const exporter = new InMemorySpanExporter();

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

const turnSpans = (): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter(({ name }) => name.startsWith("runTurn-"));

function rootSpan(agent: string): ReadableSpan {
  const found = exporter.getFinishedSpans().find(({ name }) => name === agent);
  return found ?? expect.unreachable(`no span ${agent}`);
}

function attributesOf(
  agent: string,
  turnIndex: number,
  snapshotId: string | undefined,
  rest: object,
): object {
  return {
    "genkit:metadata:agent": agent,
    "genkit:metadata:agent:sessionId": "s",
    "genkit:metadata:agent:turnIndex": turnIndex,
    "genkit:metadata:agent:snapshotId": snapshotId,
    "genkit:metadata:snapshotId": snapshotId,
    ...rest,
  };
}

const STOPPED = {
  "genkit:metadata:agent:status": "completed",
  "genkit:metadata:agent:finishReason": "stop",
  "genkit:state": "success",
};

const ABORTED = {
  "genkit:metadata:agent:status": "aborted",
  "genkit:metadata:agent:finishReason": "aborted",
  "genkit:state": "success",
};

describe("the span of a turn", () => {
  test("carries the agent, the session, the turn, its snapshot and how it ended", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const connection = agent.connect({ sessionId: "s" });
    await connection.sendText("a");
    await connection.sendText("b");
    await connection.output();
    const [first, second] = await agent.listSnapshots("s");
    expect(turnSpans().map(({ attributes }) => attributes)).toMatchObject([
      attributesOf("echo", 0, first?.snapshotId, STOPPED),
      attributesOf("echo", 1, second?.snapshotId, STOPPED),
    ]);
    expect(rootSpan("echo").attributes).toMatchObject({
      "genkit:metadata:agent": "echo",
      "genkit:metadata:agent:snapshotId": second?.snapshotId,
      ...STOPPED,
    });
  });

  test("carries the snapshot that a detached turn ends in", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const detached = await agent.detach(user("a"), { sessionId: "s" });
    await detached.wait();
    await agent.close();
    const spans = turnSpans();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.attributes).toMatchObject(
      attributesOf("echo", 0, detached.snapshotId, STOPPED),
    );
    expect(rootSpan("echo").attributes).toMatchObject(STOPPED);
  });

  test.each(["by its snapshot", "by the caller's signal"])(
    "is no error when the turn is aborted %s, and neither is the run's",
    async (how) => {
      const begun = gateOf();
      const agent = agentOf({ store: new MemoryStore() }, async (_tools, { signal }) => {
        begun.open();
        await untilAborted(signal);
        throw signal.reason;
      });
      const stop = new AbortController();
      const running = agent.runText("a", { sessionId: "s", signal: stop.signal });
      await begun.promise;
      const [pending] = await agent.listSnapshots("s");
      if (how === "by its snapshot") await agent.abort(pending!.snapshotId);
      else stop.abort();
      expect((await running).finishReason).toBe("aborted");
      const [turn] = turnSpans();
      expect(turn?.attributes).toMatchObject(
        attributesOf("actor", 0, pending?.snapshotId, ABORTED),
      );
      expect(rootSpan("actor").attributes).toMatchObject(ABORTED);
      for (const span of [turn!, rootSpan("actor")]) {
        expect(span.status.code).toBe(SpanStatusCode.UNSET);
        expect(span.events).toEqual([]);
      }
    },
  );

  test("is an error when the turn fails, and so is the run's", async () => {
    const agent = agentOf({ store: new MemoryStore() }, () => {
      throw new RangeError("no");
    });
    const { snapshotId } = await agent.runText("a", { sessionId: "s" });
    const failed = {
      "genkit:metadata:agent:status": "failed",
      "genkit:metadata:agent:finishReason": "failed",
      "genkit:state": "error",
    };
    expect(turnSpans()[0]?.attributes).toMatchObject(attributesOf("actor", 0, snapshotId, failed));
    expect(rootSpan("actor").attributes).toMatchObject(failed);
    for (const span of [turnSpans()[0]!, rootSpan("actor")]) {
      expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: "INTERNAL" });
      expect(span.events).toMatchObject([{ attributes: { "exception.type": "RangeError" } }]);
    }
  });

  test("is an error of the run alone when the run cannot start", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const { finishReason } = await agent.runText("a", { snapshotId: "s.nothing" });
    expect(finishReason).toBe("failed");
    expect(turnSpans()).toEqual([]);
    expect(rootSpan("echo").status.message).toBe("NOT_FOUND");
  });
});
