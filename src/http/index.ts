export {
  type Access,
  type Answerer,
  answererOf,
  type AnyAgent,
  createHandler,
  type Handler,
  type HandlerOptions,
} from "./create-handler.ts";
export type { GateOptions } from "./gate.ts";
export { type Answer, StreamAnswer } from "./answer.ts";
export { type IncomingRequest, WebRequest } from "./incoming-request.ts";
export type { HttpLimits } from "./http-limits.ts";
export { type AuthDecision, type Authenticate, type Identity, ownerOf } from "./identity.ts";
