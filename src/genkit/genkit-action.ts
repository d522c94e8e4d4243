import { GenkitError } from "genkit";
import { runInNewSpan, SPAN_TYPE_ATTR } from "genkit/tracing";
import type { CallOptions } from "../agent/index.ts";
import { isStatusName, TurnkeepError } from "../protocol/index.ts";

/** What Genkit's servers, tools and middleware pass to an action besides its input. */
export interface ActionOptions {
  readonly onChunk?: (chunk: unknown) => void;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly abortSignal?: AbortSignal;
  readonly init?: unknown;
  readonly inputStream?: AsyncIterable<unknown>;
  readonly telemetryLabels?: Readonly<Record<string, string>>;
  readonly onTraceStart?: (trace: Trace) => void;
  /** What our own agents say to each other; Genkit's do not read it. */
  readonly call?: Pick<CallOptions, "requestId" | "onBusy" | "tenant">;
}

export interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

/** How an action is listed. */
export interface ActionFacts {
  readonly name: string;
  readonly actionType: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly streamSchema?: unknown;
  readonly initSchema?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** An action as Genkit's registry keeps them. Made here, since the package `genkit` has no way to make one of these kinds. */
export interface GenkitAction {
  (input?: unknown, options?: ActionOptions): Promise<unknown>;
  readonly __action: ActionFacts & { readonly key: string };
  readonly run: (
    input?: unknown,
    options?: ActionOptions,
  ) => Promise<{ readonly result: unknown; readonly telemetry: Trace }>;
  readonly stream: (input?: unknown, options?: ActionOptions) => ActionStream;
  readonly streamBidi: (init?: unknown, options?: ActionOptions) => ActionStream & InputSide;
  /** Whether it reads `call`; those that Genkit makes do not. */
  readonly takesRequestId?: true;
}

export interface ActionStream {
  readonly stream: AsyncGenerator;
  readonly output: Promise<unknown>;
}

interface InputSide {
  readonly send: (input: unknown) => void;
  readonly close: () => void;
}

export type ActionWork = (input: unknown, options: ActionOptions) => Promise<unknown>;

export function genkitAction(facts: ActionFacts, work: ActionWork): GenkitAction {
  const key = `/${facts.actionType}/${facts.name}`;
  const run: GenkitAction["run"] = async (input, options = {}) => {
    let telemetry: Trace = { traceId: "", spanId: "" };
    const result = await runInNewSpan(
      {
        metadata: { name: facts.name },
        labels: {
          [SPAN_TYPE_ATTR]: "action",
          "genkit:metadata:subtype": facts.actionType,
          "genkit:key": key,
          ...options.telemetryLabels,
        },
      },
      async (_metadata, span) => {
        telemetry = span.spanContext();
        options.onTraceStart?.(telemetry);
        return await work(input, options).catch((error: unknown) => {
          throw withTrace(asGenkitError(error), telemetry);
        });
      },
    );
    return { result, telemetry };
  };
  const stream: GenkitAction["stream"] = (input, options) => streamOf(run, input, options);
  const streamBidi: GenkitAction["streamBidi"] = (init, options = {}) => {
    const inputs = new Inputs();
    const given = options.inputStream ?? inputs.read();
    return {
      ...stream(undefined, { ...options, init, inputStream: given }),
      send: (input) => inputs.send(input),
      close: () => inputs.close(),
    };
  };
  const call = async (input?: unknown, options?: ActionOptions): Promise<unknown> =>
    (await run(input, options)).result;
  const takesRequestId = true as const;
  return Object.assign(call, {
    __action: { ...facts, key },
    run,
    stream,
    streamBidi,
    takesRequestId,
  });
}

function streamOf(
  run: GenkitAction["run"],
  input: unknown,
  options: ActionOptions = {},
): ActionStream {
  const chunks = new Inputs();
  const output = run(input, { ...options, onChunk: (chunk) => chunks.send(chunk) })
    .then(({ result }) => result)
    .finally(() => chunks.close());
  // Whoever reads the stream or the output sees the failure.
  output.catch(() => {});
  const stream = async function* (): AsyncGenerator {
    yield* chunks.read();
    return await output;
  };
  return { stream: stream(), output };
}

/** Values on their way from one who sends to one who reads. */
class Inputs {
  readonly #waiting: unknown[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  send(value: unknown): void {
    if (this.#isClosed) {
      throw new GenkitError({ status: "FAILED_PRECONDITION", message: "The stream is closed." });
    }
    this.#waiting.push(value);
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *read(): AsyncGenerator {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

// Genkit's servers tell callers the status of its own errors only.
function asGenkitError(error: unknown): unknown {
  if (!TurnkeepError.is(error) || !isStatusName(error.status)) return error;
  const { status, message, reason, details } = error;
  const detail = { ...(reason !== undefined && { reason }), ...details };
  const hasDetail = Object.keys(detail).length > 0;
  return new GenkitError({ status, message, ...(hasDetail && { detail }) });
}

// Its developer tools lead from an error to the trace that it says it is of.
function withTrace(error: unknown, { traceId }: Trace): unknown {
  return error instanceof GenkitError ? Object.assign(error, { traceId }) : error;
}
