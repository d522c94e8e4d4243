export { type Closable, closeOnSignals, type CloseOnSignalsOptions } from "./close-on-signals.ts";
export { type AuthIsMissing, type RunningServer, serve, type ServeOptions } from "./serve.ts";
export type { NodeRequest } from "./incoming-call.ts";
export { type NodeHandler, toNodeHandler } from "./to-node-handler.ts";
