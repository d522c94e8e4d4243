export { defineDemoAgents, type DemoOptions } from "./define-demo-agents.ts";
export type { Model, ModelAnswer, ModelRequest } from "./model.ts";
export { type FoundModel, findModel } from "./find-model.ts";
