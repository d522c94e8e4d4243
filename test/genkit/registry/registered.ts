import type { Genkit } from "genkit";
import type { AgentInput, AgentOutput, AgentStreamChunk } from "turnkeep";
import { expect } from "vitest";

interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

interface Options {
  readonly init?: object;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly onChunk?: (chunk: AgentStreamChunk) => void;
  readonly abortSignal?: AbortSignal;
  readonly onTraceStart?: (trace: Trace) => void;
  readonly telemetryLabels?: Readonly<Record<string, string>>;
}

interface Streaming {
  readonly stream: AsyncIterable<AgentStreamChunk>;
  readonly output: Promise<AgentOutput>;
}

/** An agent's action as Genkit's servers use it. */
export interface Registered {
  (input: unknown, options?: Options): Promise<AgentOutput>;
  readonly __action: {
    readonly key: string;
    readonly name: string;
    readonly description?: string;
    readonly metadata?: Readonly<Record<string, unknown>>;
    readonly [fact: string]: unknown;
  };
  readonly run: (
    input: unknown,
    options?: Options,
  ) => Promise<{ readonly result: AgentOutput; readonly telemetry: Trace }>;
  readonly stream: (input: unknown, options?: Options) => Streaming;
  readonly streamBidi: (
    init?: object,
    options?: Options,
  ) => Streaming & { readonly send: (input: AgentInput) => void; readonly close: () => void };
}

/** The action as Genkit finds it. */
export async function registered(ai: Genkit, key: string): Promise<Registered> {
  const found: unknown = await ai.registry.lookupAction(key);
  return (found ?? expect.unreachable(`Genkit knows no ${key}`)) as Registered;
}

export function user(text: string): AgentInput {
  return { message: { role: "user", content: [{ text }] } };
}

/** The GenkitError that it ends in, as data. */
export async function refusalOf(
  work: () => unknown,
): Promise<{ readonly name: string; readonly status: string; readonly message: string }> {
  try {
    await work();
  } catch (error) {
    const { name, status, message } = error as Error & { readonly status: string };
    return { name, status, message };
  }
  return expect.unreachable("it should have been refused");
}

/** Something to wait for until a test opens it. */
export function gateOf(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

/** Never answers; fails when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
