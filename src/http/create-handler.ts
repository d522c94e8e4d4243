import { type Ports, systemClock, systemPorts } from "../ledger/index.ts";
import { checkNames, TurnkeepError } from "../protocol/index.ts";
import { Allowance } from "./allowance.ts";
import type { Answer } from "./answer.ts";
import { isUntold, toClientError } from "./client-error.ts";
import { Exchange, type Services } from "./exchange.ts";
import { costOf, findRoute } from "./find-route.ts";
import { Gate, type GateOptions } from "./gate.ts";
import { type Handler, toHandler } from "./handler.ts";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import { type AuthDecision, type Caller, identify } from "./identity.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { errorResponse, jsonResponse } from "./json-response.ts";
import { nothingHere, urlTooLong } from "./no-route.ts";
import { quietly } from "./quietly.ts";
import { chosenGroups, type RouteChoice, type RouteGroup, withheldRoute } from "./route-groups.ts";
import { type Route, ROUTES } from "./routes.ts";
import { type ServableAgents, toServedAgents } from "./served-agents.ts";

/** What was asked and how it was answered: for a log. */
export interface Access {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly tenant?: string;
  readonly principal?: string;
}

/** Who may call, how much they may ask for, and who is told of it. */
export interface HandlerOptions extends GateOptions {
  /** Who may call. To let in everybody, say "public". */
  readonly auth: AuthDecision;
  /** Whether a session is its principal's own, or every principal of the tenant may go on with it. The first, unless told. */
  readonly sessionsOf?: "principal" | "tenant";
  /**
   * What is served: groups of routes, or "all". The default is "all" where callers sign in. A "public" server serves `agents`, `turn`, `snapshots` and
   * `abort` by default: what reaches a session that the caller can name.
   */
  readonly routes?: RouteChoice | undefined;
  /** Where the agents are: `/agents` unless told otherwise. */
  readonly basePath?: string;
  readonly limits?: Partial<HttpLimits>;
  readonly onAccess?: (access: Access) => void;
  /** Is told of what clients are not told: errors with their causes. */
  readonly onError?: (error: unknown, request: { readonly requestId: string }) => void;
  /** Whether requests are welcome: for what asks `/ready`. */
  readonly isReady?: () => boolean | Promise<boolean>;
  /** Time, chance, ids and timers; for tests. */
  readonly ports?: Ports;
}

const OPTION_NAMES: readonly string[] = Object.keys({
  auth: true,
  sessionsOf: true,
  routes: true,
  basePath: true,
  hosts: true,
  origins: true,
  limits: true,
  onAccess: true,
  onError: true,
  isReady: true,
  ports: true,
} satisfies Record<keyof HandlerOptions, true>);

/**
 * Serves agents over HTTP: a list, or a registry, whose agents may be registered later.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when nobody decided who may call, two agents have one name, or an option or a route group is unknown.
 */
export function createHandler(agents: ServableAgents, options: HandlerOptions): Handler {
  const server = new RequestHandler(agents, options);
  return toHandler((request) => server.handle(request));
}

class RequestHandler {
  readonly #options: HandlerOptions;
  readonly #gate: Gate;
  readonly #services: Services;
  readonly #base: string;
  readonly #routes: readonly Route[];
  readonly #reportedGroups = new Set<RouteGroup>();

  constructor(agents: ServableAgents, options: HandlerOptions) {
    checkNames(options, { kind: "option", names: OPTION_NAMES });
    checkNames(options.limits ?? {}, {
      kind: "limit",
      names: Object.keys(DEFAULT_HTTP_LIMITS),
    });
    checkAuth(options);
    this.#options = options;
    const groups = chosenGroups(options);
    this.#routes = ROUTES.filter(({ group }) => groups.has(group));
    this.#gate = new Gate(options);
    this.#base = `/${(options.basePath ?? "/agents").split("/").filter(Boolean).join("/")}`;
    const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits };
    this.#services = {
      agents: toServedAgents(agents),
      limits,
      allowance: new Allowance(limits, systemClock),
      ports: options.ports ?? systemPorts,
      clock: systemClock,
      report: (error, requestId) => void quietly(() => options.onError?.(error, { requestId })),
    };
  }

  async handle(request: IncomingRequest): Promise<Answer> {
    const { ports, clock } = this.#services;
    const requestId = ports.ids.next();
    const begin = clock.now();
    const seen: { caller?: Caller } = {};
    const answer = await this.#answer(request, requestId, seen).catch((error: unknown) =>
      this.#refuse(error, requestId),
    );
    const headers = { "x-request-id": requestId, ...this.#gate.headersFor(request) };
    for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
    const { onAccess } = this.#options;
    if (onAccess === undefined) return answer;
    const access: Access = {
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
      status: answer.status,
      milliseconds: clock.now() - begin,
      ...(seen.caller?.tenant !== undefined && { tenant: seen.caller.tenant }),
      ...(seen.caller?.principal !== undefined && { principal: seen.caller.principal }),
    };
    void quietly(() => onAccess(access));
    return answer;
  }

  // Who asks is settled before anything is read or done.
  async #answer(
    request: IncomingRequest,
    requestId: string,
    seen: { caller?: Caller },
  ): Promise<Answer> {
    const { limits } = this.#services;
    if (request.url.length > limits.urlLength) throw urlTooLong(limits.urlLength);
    const url = new URL(request.url);
    if (request.method === "OPTIONS") return this.#gate.preflight(request);
    this.#gate.check(request);
    const health = this.#health(request.method, url.pathname);
    if (health) return await health;
    const { auth, sessionsOf = "principal" } = this.#options;
    const caller = await identify(request, auth, sessionsOf);
    seen.caller = caller;
    const path = this.#below(url.pathname);
    const found = findRoute(this.#routes, request.method, path);
    if ("allowed" in found) {
      this.#reportWithheld(request, path, requestId);
      throw nothingHere(found.allowed);
    }
    const { route, names } = found;
    const services = this.#services;
    services.allowance.count(costOf(route), caller.name);
    const exchange = new Exchange(request, { requestId, url, caller, services, names });
    return await route.answer(exchange).catch((error: unknown) => {
      exchange.end();
      throw error;
    });
  }

  // Callers see no difference to a path that doesn't exist; the server's log says which option to change. Once for each group: strangers must not
  // be able to fill the log.
  #reportWithheld({ method, url }: IncomingRequest, path: string, requestId: string): void {
    const found = findRoute(ROUTES, method, path);
    if ("allowed" in found || this.#reportedGroups.has(found.route.group)) return;
    const { group } = found.route;
    this.#reportedGroups.add(group);
    this.#services.report(withheldRoute(`${method} ${new URL(url).pathname}`, group), requestId);
  }

  // The path below the agents' own, without a slash; one that leads elsewhere has no route.
  #below(path: string): string {
    if (path === this.#base || path === `${this.#base}/`) return "";
    return path.startsWith(`${this.#base}/`) ? path.slice(this.#base.length + 1) : "//";
  }

  #health(method: string, path: string): Promise<Response> | undefined {
    if (method !== "GET" && method !== "HEAD") return undefined;
    if (path === "/health") return Promise.resolve(jsonResponse({ ok: true }));
    return path === "/ready" ? this.#readiness() : undefined;
  }

  async #readiness(): Promise<Response> {
    const isReady = (await this.#options.isReady?.()) ?? true;
    return jsonResponse({ ready: isReady }, { status: isReady ? 200 : 503 });
  }

  #refuse(error: unknown, requestId: string): Response {
    const told = toClientError(error);
    if (isUntold(told)) this.#services.report(error, requestId);
    const isBusy = told.status === "RESOURCE_EXHAUSTED" || told.status === "UNAVAILABLE";
    const allowed = TurnkeepError.is(error) ? error.details["allowed"] : undefined;
    return errorResponse(told, requestId, {
      ...(isBusy && { "retry-after": "1" }),
      ...(typeof allowed === "string" && { allow: allowed }),
      ...(told.status === "UNAUTHENTICATED" && { "www-authenticate": "Bearer" }),
    });
  }
}

function checkAuth({ auth }: HandlerOptions): void {
  if (auth === "public" || typeof auth === "function") return;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `Decide who may call: 'auth' must be a function that tells who a request is from, or "public" to let in everybody.`,
  );
}
