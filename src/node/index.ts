export { type RunningServer, serve, type ServeOptions } from "./serve.ts";
export { type NodeHandler, type NodeRequest, toNodeHandler } from "./to-node-handler.ts";
