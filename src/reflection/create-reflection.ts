import type { CallContext } from "../agent/index.ts";
import {
  type Access,
  Allowance,
  type Answer,
  costOf,
  DEFAULT_HTTP_LIMITS,
  findRoute,
  type HttpLimits,
  type IncomingRequest,
  isUntold,
  jsonResponse,
  type MountedHandler,
  nothingHere,
  preciseCode,
  quietly,
  type RequestHead,
  type ServableAgents,
  type Services,
  toClientError,
  toHandler,
  toServedAgents,
  urlTooLong,
} from "../http/index.ts";
import { createScope, systemClock, systemPorts } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { FrontDoor, randomToken } from "./front-door.ts";
import { isRecordingLightly, ownTraces, recordLightly } from "./light-tracer.ts";
import {
  checkReflectionOptions,
  type Operator,
  type ReflectionOptions,
} from "./reflection-options.ts";
import { ROUTES, type StudioRoute } from "./routes.ts";
import { StreamSeats } from "./stream-seats.ts";
import { StudioExchange, type StudioServices } from "./studio-exchange.ts";
import type { TraceStore } from "./trace-store.ts";

/** Answers requests to the reflection API, and can be mounted beside other handlers. */
export interface Reflection extends MountedHandler {
  /** Opens everything: for whoever started the process. */
  readonly token: string;
  /**
   * For pages that are served beside the API: keeps out names and origins of others. Whoever follows a link may come in.
   *
   * @throws TurnkeepError PERMISSION_DENIED.
   */
  readonly checkPage: (request: Request) => void;
}

const LIMITS: HttpLimits = {
  ...DEFAULT_HTTP_LIMITS,
  bodyBytes: 10 * 1024 * 1024,
  urlLength: 8192,
  streams: 4,
  submissionsPerSecond: 100,
  submissionBurst: 200,
};
// For whoever has no token yet: enough to send one. Counted apart, so that strangers use up nothing of the operators'.
const OPEN_LIMITS: Partial<HttpLimits> = {
  bodyBytes: 1024,
  submissionsPerSecond: 5,
  submissionBurst: 20,
};
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Lets tools for developers look into agents, their sessions and their runs, and talk to them. Of a registry, agents that are registered later are
 * shown, too.
 *
 * @throws TurnkeepError FAILED_PRECONDITION in production unless allowed twice, INVALID_ARGUMENT when two agents have one name.
 */
export function createReflection(agents: ServableAgents, options: ReflectionOptions): Reflection {
  checkReflectionOptions(options);
  const token = options.token ?? randomToken();
  const server = new ReflectionServer(agents, { ...options, token });
  const handler = toHandler((request) => server.handle(request));
  const checkPage = (request: Request): void => server.checkPage(request);
  return Object.assign(handler, { token, path: server.path, checkPage });
}

/** Who asked, as far as it was found out. */
type Seen = Pick<Access, "principal" | "tenant">;

class ReflectionServer {
  readonly path: string;
  readonly #options: ReflectionOptions;
  readonly #door: FrontDoor;
  readonly #services: Services;
  readonly #openServices: Services;
  readonly #studio: StudioServices;
  readonly #routes: readonly StudioRoute[];

  constructor(agents: ServableAgents, options: ReflectionOptions & { token: string }) {
    const { token, hosts = LOOPBACK, authorize, ports = systemPorts, onError } = options;
    const mount = `/${(options.path ?? "").split("/").filter(Boolean).join("/")}`.replace(
      /\/$/,
      "",
    );
    this.path = mount === "" ? "/api" : mount;
    this.#options = options;
    this.#door = new FrontDoor({ token, hosts, ...(authorize && { authorize }) });
    // The cookie that open routes give opens nothing where the application lets in by itself.
    this.#routes = authorize ? ROUTES.filter(({ isOpen }) => isOpen !== true) : ROUTES;
    const limits = { ...LIMITS, ...options.limits };
    this.#services = {
      agents: toServedAgents(agents),
      limits,
      allowance: new Allowance(limits, systemClock),
      ports,
      clock: systemClock,
      report: (error, requestId) => void quietly(() => onError?.(error, { requestId })),
    };
    const openLimits = { ...limits, ...OPEN_LIMITS };
    this.#openServices = {
      ...this.#services,
      limits: openLimits,
      allowance: new Allowance(openLimits, systemClock),
    };
    this.#studio = {
      options,
      actions: new Map(),
      seats: new StreamSeats(limits.streams),
      findTraces: collectTraces(options.traces),
      base: `${mount}/api`,
      cookieFor: (given, request) => this.#door.cookieFor(given, { request, path: mount }),
    };
  }

  checkPage(request: Request): void {
    this.#door.checkPage(request);
  }

  async handle(request: IncomingRequest): Promise<Answer> {
    const { ports, clock } = this.#services;
    const requestId = ports.ids.next();
    const begin = clock.now();
    const seen: Seen = {};
    const answer = await this.#answer(request, requestId, seen).catch((error: unknown) =>
      this.#refuse(error, requestId),
    );
    answer.headers.set("x-request-id", requestId);
    answer.headers.set("x-content-type-options", "nosniff");
    answer.headers.set("cross-origin-resource-policy", "same-origin");
    if (!answer.headers.has("cache-control")) answer.headers.set("cache-control", "no-store");
    const access: Access = {
      requestId,
      method: request.method,
      path: new URL(request.url).pathname,
      status: answer.status,
      milliseconds: clock.now() - begin,
      ...seen,
    };
    void quietly(() => this.#options.onAccess?.(access));
    return answer;
  }

  async #answer(request: IncomingRequest, requestId: string, seen: Seen): Promise<Answer> {
    this.#door.checkOrigin(request);
    const { limits } = this.#services;
    if (request.url.length > limits.urlLength) throw urlTooLong(limits.urlLength);
    const url = new URL(request.url);
    const found = findRoute(this.#routes, request.method, this.#below(url.pathname));
    const isOpen = "route" in found && found.route.isOpen === true;
    const operator = isOpen ? ANYBODY : await this.#door.letIn(request);
    const services = isOpen ? this.#openServices : this.#services;
    if ("allowed" in found) throw nothingHere(found.allowed);
    const { route, names } = found;
    checkBodyType(request, route);
    const isReadOnly = this.#options.readOnly === true || operator.readOnly === true;
    if (isReadOnly && !isOpen && route.method !== "GET") throw readOnly();
    const caller = { ...this.#tenant(url, operator), ...callerOf(operator, this.#options) };
    const { name: principal, tenant } = caller;
    Object.assign(seen, { principal, ...(tenant !== undefined && { tenant }) });
    services.allowance.count(costOf(route), caller.name);
    const exchange = new StudioExchange(request, {
      requestId,
      url,
      caller,
      names,
      services,
      studio: this.#studio,
      isReadOnly,
      isConfined: operator.tenant !== undefined,
    });
    return await route.answer(exchange).catch((error: unknown) => {
      exchange.end();
      throw error;
    });
  }

  // The path below the API's own, without a slash; one that leads elsewhere has no route.
  #below(path: string): string {
    const { base } = this.#studio;
    return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : "//";
  }

  #tenant(url: URL, operator: Operator): { readonly tenant?: string } {
    const asked = url.searchParams.get("tenant");
    if (asked !== null && operator.tenant !== undefined && asked !== operator.tenant) {
      throw new TurnkeepError("PERMISSION_DENIED", "You may not look at this tenant.");
    }
    // Refused here: streams have no other status once they have begun.
    if (asked !== null) createScope(asked);
    const tenant = operator.tenant ?? asked ?? this.#options.tenant;
    return tenant === undefined ? {} : { tenant };
  }

  #refuse(error: unknown, requestId: string): Response {
    const told = toClientError(error);
    if (isUntold(told)) this.#services.report(error, requestId);
    const { status, message, details } = told;
    const allowed = details?.["allowed"];
    return jsonResponse(
      { error: { status, message, ...(details && { details }), requestId } },
      {
        status: preciseCode(told),
        headers: {
          ...(typeof allowed === "string" && { allow: allowed }),
          ...(status === "UNAUTHENTICATED" && { "www-authenticate": "Bearer" }),
        },
      },
    );
  }
}

// A store that was handed in may be known to an SDK. Our own isn't, so it is of no use where there is one.
function collectTraces(given: TraceStore | false | undefined): () => TraceStore | undefined {
  if (given === false) return () => undefined;
  const traces = given ?? ownTraces();
  recordLightly(traces);
  return () => (given || isRecordingLightly() ? traces : undefined);
}

const ANYBODY: Operator = { name: "anybody", readOnly: true };

function callerOf(
  { name = "studio" }: Operator,
  { context = {} }: ReflectionOptions,
): { readonly name: string; readonly context: CallContext; readonly isOperator: true } {
  return { name, context, isOperator: true };
}

// No page can make a browser send these types without asking first, and asking is refused.
function checkBodyType({ method, headers }: RequestHead, { takes }: StudioRoute): void {
  if (method !== "POST" && method !== "PATCH") return;
  const type = takes ?? "application/json";
  if (headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === type) return;
  throw new TurnkeepError("INVALID_ARGUMENT", `Send the body as ${type}.`, {
    reason: "UNSUPPORTED_MEDIA_TYPE",
  });
}

function readOnly(): TurnkeepError {
  return new TurnkeepError("PERMISSION_DENIED", "This server is read-only.");
}
