import {
  type Attributes,
  ProxyTracerProvider,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from "@opentelemetry/api";
import { promised, type SnapshotEnd } from "../ledger/index.ts";
import { type AgentFinishReason, type StatusName, TurnkeepError } from "../protocol/index.ts";

export type AgentTelemetryOptions = {
  readonly agentName: string;
  /** Writes inputs, outputs and the text of errors into spans too. They hold what users said, so only if told to. */
  readonly recordState?: boolean;
};

export type TracedRun = {
  readonly sessionId: string;
  /** As clients know it. */
  readonly runId?: string;
  /** What the caller wants to find the span by. */
  readonly labels?: Readonly<Record<string, string>>;
  /** What came in. Asked for only when it is recorded. */
  readonly input?: () => unknown;
};

export type TracedTurn = {
  readonly sessionId: string;
  /** Which turn of its run, from 1. */
  readonly number: number;
  /** What came in. Asked for only when it is recorded. */
  readonly input?: () => unknown;
};

const TRACER = "turnkeep";

/** Names a span, and the trace it is part of. */
export interface SpanName {
  readonly traceId: string;
  readonly spanId: string;
}

/** What becomes known about a run or a turn while it works. */
export interface TraceNotes {
  /** The span; absent when nothing is recorded. */
  readonly span?: SpanName;
  /** The snapshot that holds what came of it, if there is one. */
  readonly setSnapshotId: (snapshotId: string | undefined) => void;
  /** What came out. Asked for only when it is recorded. */
  readonly setOutput: (output: () => unknown) => void;
  /**
   * How it ended. Only `failed` is an error, and the error is recorded: an aborted turn, and one that waits for an answer, did not fail. Once this is called,
   * an error that comes out of the work says nothing new.
   */
  readonly setEnd: (
    status: SnapshotEnd,
    finishReason: AgentFinishReason | undefined,
    error?: unknown,
  ) => void;
}

/**
 * Spans for the runs and turns of an agent, named and described as Genkit's are, so that its tools can show them. The span
 * is the active one while the work lasts. Without an OpenTelemetry SDK this does nothing.
 */
export class AgentTelemetry {
  readonly #agentName: string;
  readonly #recordState: boolean;
  readonly #tracer: Tracer;

  constructor({ agentName, recordState = false }: AgentTelemetryOptions) {
    this.#agentName = agentName;
    this.#recordState = recordState;
    this.#tracer = trace.getTracer(TRACER);
  }

  /** Does the work of a run inside its span. */
  traceRun<Result>(
    { sessionId, runId, labels, input }: TracedRun,
    work: (notes: TraceNotes) => Promise<Result>,
  ): Promise<Result> {
    if (!hasSdk()) return promised(() => work(NOTES_FOR_NOBODY));
    const attributes = {
      ...labels,
      "genkit:type": "action",
      "genkit:metadata:subtype": "agent",
      "genkit:key": `/agent/${this.#agentName}`,
      [AGENT]: this.#agentName,
      [SESSION_ID]: sessionId,
      ...(runId !== undefined && { "genkit:metadata:agent:runId": runId }),
    };
    return this.#trace({ name: this.#agentName, attributes, input }, work);
  }

  /** Does the work of a turn inside its span, which belongs into that of the run. */
  traceTurn<Result>(
    { sessionId, number, input }: TracedTurn,
    work: (notes: TraceNotes) => Promise<Result>,
  ): Promise<Result> {
    if (!hasSdk()) return promised(() => work(NOTES_FOR_NOBODY));
    const attributes = {
      "genkit:type": "flowStep",
      [AGENT]: this.#agentName,
      [SESSION_ID]: sessionId,
      [TURN_INDEX]: number - 1,
    };
    return this.#trace({ name: `runTurn-${number}`, attributes, input }, work);
  }

  #trace<Result>(
    { name, attributes, input }: Traced,
    work: (notes: TraceNotes) => Promise<Result>,
  ): Promise<Result> {
    return this.#tracer.startActiveSpan(name, { attributes }, (span) => {
      if (!span.isRecording()) return promised(() => work(NOTES_FOR_NOBODY));
      const notes = new SpanNotes(span, this.#recordState);
      if (input !== undefined) notes.setInput(input);
      return promised(() => work(notes)).then(
        (result) => {
          notes.end();
          return result;
        },
        (error: unknown) => {
          notes.setRejection(error);
          notes.end();
          throw error;
        },
      );
    });
  }
}

// Asked each time: an SDK may be set up after the agent was defined.
function hasSdk(): boolean {
  const provider = trace.getTracerProvider();
  return !(
    provider instanceof ProxyTracerProvider && provider.getDelegateTracer(TRACER) === undefined
  );
}

const AGENT = "genkit:metadata:agent";
const SESSION_ID = "genkit:metadata:agent:sessionId";
const TURN_INDEX = "genkit:metadata:agent:turnIndex";
const STATUS = "genkit:metadata:agent:status";
const FINISH_REASON = "genkit:metadata:agent:finishReason";
// One design of Genkit's agents names it so, the other so.
const SNAPSHOT_IDS = ["genkit:metadata:agent:snapshotId", "genkit:metadata:snapshotId"];

const NOTES_FOR_NOBODY: TraceNotes = {
  setSnapshotId: () => {},
  setOutput: () => {},
  setEnd: () => {},
};

type Traced = {
  readonly name: string;
  readonly attributes: Attributes;
  readonly input: (() => unknown) | undefined;
};

class SpanNotes implements TraceNotes {
  readonly span: SpanName;
  readonly #span: Span;
  readonly #recordState: boolean;
  #hasEnded = false;
  #hasFailed = false;

  constructor(span: Span, recordState: boolean) {
    this.#span = span;
    const { traceId, spanId } = span.spanContext();
    this.span = { traceId, spanId };
    this.#recordState = recordState;
  }

  readonly setSnapshotId = (snapshotId: string | undefined): void => {
    if (snapshotId === undefined) return;
    for (const name of SNAPSHOT_IDS) this.#span.setAttribute(name, snapshotId);
  };

  readonly setInput = (input: () => unknown): void => this.#setState("genkit:input", input);

  readonly setOutput = (output: () => unknown): void => this.#setState("genkit:output", output);

  readonly setEnd: TraceNotes["setEnd"] = (status, finishReason, error) => {
    this.#hasEnded = true;
    this.#span.setAttribute(STATUS, status);
    if (finishReason !== undefined) this.#span.setAttribute(FINISH_REASON, finishReason);
    if (status === "failed" || finishReason === "failed") this.#setFailure(error);
  };

  setRejection(error: unknown): void {
    if (!this.#hasEnded) this.#setFailure(error);
  }

  #setFailure(error: unknown): void {
    const status: StatusName = TurnkeepError.is(error) ? error.status : "INTERNAL";
    this.#hasFailed = true;
    this.#span.setAttribute("error.type", status);
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: status });
    this.#span.recordException(
      this.#recordState && error instanceof Error
        ? error
        : { name: nameOf(error), message: status },
    );
  }

  end(): void {
    this.#span.setAttribute("genkit:state", this.#hasFailed ? "error" : "success");
    this.#span.end();
  }

  #setState(attribute: string, value: () => unknown): void {
    if (!this.#recordState) return;
    const text = textOf(value);
    if (text !== undefined) this.#span.setAttribute(attribute, text);
  }
}

// Whoever traces only watches: what cannot be written down is left out, and the work goes on.
function textOf(value: () => unknown): string | undefined {
  try {
    return JSON.stringify(value());
  } catch {
    return undefined;
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "Error";
}
