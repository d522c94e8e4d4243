export {
  type Access,
  type AnyAgent,
  createHandler,
  type HandlerOptions,
} from "./create-handler.ts";
export type { GateOptions } from "./gate.ts";
export { type Answerer, answererOf, type Handler } from "./handler.ts";
export { type Answer, StreamAnswer } from "./answer.ts";
export { type IncomingRequest, WebRequest } from "./incoming-request.ts";
export type { HttpLimits } from "./http-limits.ts";
export { type AuthDecision, type Authenticate, type Identity, ownerOf } from "./identity.ts";
export { type MountedHandler, mountBeside } from "./mount-beside.ts";
export type { RouteChoice, RouteGroup } from "./route-groups.ts";

// What other protocols are built of.
export { Allowance } from "./allowance.ts";
export { isUntold, toClientError } from "./client-error.ts";
export { byName } from "./create-handler.ts";
export { Exchange, type ExchangeOptions, type ServedAgent, type Services } from "./exchange.ts";
export { findRoute, type RoutePath } from "./find-route.ts";
export { toHandler } from "./handler.ts";
export { DEFAULT_HTTP_LIMITS } from "./http-limits.ts";
export type { RequestHead } from "./incoming-request.ts";
export { jsonResponse, preciseCode } from "./json-response.ts";
export { nothingHere, urlTooLong } from "./no-route.ts";
export { parseClientInput } from "./parse-client-input.ts";
export { quietly } from "./quietly.ts";
export { checkType, readText } from "./read-body.ts";
export { RunFeed } from "./run-feed.ts";
export type { Encode } from "./shared-texts.ts";
export { sayAll } from "./say-all.ts";
export { type StartedRun, startRun } from "./start-run.ts";
export type { StreamKind, TextStream } from "./text-stream.ts";
