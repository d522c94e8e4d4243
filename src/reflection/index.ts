export { createReflection, type Reflection } from "./create-reflection.ts";
export { isRecordingLightly } from "./light-tracer.ts";
export type { Prices } from "./prices.ts";
export type { Authorize, Operator, ReflectionOptions } from "./reflection-options.ts";
export {
  type RecordedSpan,
  type Trace,
  type TracedSpan,
  type TraceListener,
  TraceStore,
  type TraceStoreOptions,
} from "./trace-store.ts";
