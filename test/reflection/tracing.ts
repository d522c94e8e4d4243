import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "opentelemetry-context";
import { BasicTracerProvider } from "opentelemetry-sdk";
import { TraceStore, type TraceStoreOptions } from "turnkeep/reflection";
import { onTestFinished } from "vitest";

/** Collects the spans of this process until the test has ended. */
export function tracing(options?: TraceStoreOptions): TraceStore {
  const traces = new TraceStore(options);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [traces] }));
  onTestFinished(() => {
    trace.disable();
    context.disable();
  });
  return traces;
}
