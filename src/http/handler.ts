import { type Answer, toResponse } from "./answer.ts";
import { type IncomingRequest, WebRequest } from "./incoming-request.ts";

/** Answers a request. Runs wherever there is `fetch`. */
export type Handler = (request: Request) => Promise<Response>;

/** Answers a request that need not be a `Request`, by what need not be a `Response`. */
export type Answerer = (request: IncomingRequest) => Promise<Answer>;

const ANSWERERS = new WeakMap<Handler, Answerer>();

/** @internal The handler as anybody calls it, who may have neither a `Request` nor a use for a `Response`. */
export function toHandler(answerTo: Answerer): Handler {
  const handler: Handler = async (request) => toResponse(await answerTo(new WebRequest(request)));
  ANSWERERS.set(handler, answerTo);
  return handler;
}

/** @internal The way into a handler past `Request` and `Response`, for servers that have neither. */
export function answererOf(handler: Handler): Answerer {
  return ANSWERERS.get(handler) ?? ((request) => handler(request.toRequest()));
}
