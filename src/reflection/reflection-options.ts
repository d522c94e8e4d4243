import type { CallContext } from "../agent/index.ts";
import { type Access, DEFAULT_HTTP_LIMITS, type HttpLimits } from "../http/index.ts";
import type { Ports } from "../ledger/index.ts";
import { checkNames, TurnkeepError } from "../protocol/index.ts";
import { checkPrices, type Prices } from "./prices.ts";
import type { TraceStore } from "./trace-store.ts";

/** Somebody whom the application lets in by its own sign-in. */
export interface Operator {
  /** Tells operators apart, for what each may use. */
  readonly name?: string;
  /** The only tenant they see, as `ownerOf` of `turnkeep/http` names it. Unless told, they may ask for any. */
  readonly tenant?: string;
  readonly readOnly?: boolean;
}

/** Tells who a request is from; `undefined` when nobody may know. */
export type Authorize = (request: Request) => Operator | undefined | Promise<Operator | undefined>;

/** Who is let in, what they see, and where the API is. */
export interface ReflectionOptions {
  /** What the process runs as: hand in `process.env.NODE_ENV`. In "production" nothing is made unless allowed twice. */
  readonly environment: string | undefined;
  /** One of the two permissions for production; the other is `authorize`. */
  readonly allowInProduction?: boolean;
  /** Lets in by the application's own sign-in, instead of by the token. */
  readonly authorize?: Authorize;
  /** Opens everything: 32 to 256 characters; a random one of 256 bits unless given. */
  readonly token?: string;
  /** The API is at `<path>/api`: at `/api`, unless told. */
  readonly path?: string;
  /** Names the server may be called by, with the port where it matters: this machine's own, unless told. */
  readonly hosts?: readonly string[];
  /** The tenant that is shown unless a request asks for another; the agents' own, unless told. */
  readonly tenant?: string;
  /** What agents, transforms and tools are told of the caller. */
  readonly context?: CallContext;
  /** Refuses whatever would change something. */
  readonly readOnly?: boolean;
  /** Shows what is kept as it is, with no transform. */
  readonly revealRaw?: boolean;
  /**
   * Collects the spans that are shown as traces. By default, and wherever no OpenTelemetry SDK is registered, the reflection API records the spans of
   * the process by itself. Where there is an SDK, hand the store to it as well, as a span processor. `false` records nothing.
   */
  readonly traces?: TraceStore | false;
  /** What tokens cost; without it no money is shown. */
  readonly prices?: Prices;
  /** The application's name and version, for display. */
  readonly name?: string;
  readonly version?: string;
  readonly limits?: Partial<HttpLimits>;
  /** Is told of every request: for a log of who did what. */
  readonly onAccess?: (access: Access) => void;
  /** Is told of what clients are not told: errors with their causes. */
  readonly onError?: (error: unknown, request: { readonly requestId: string }) => void;
  /** Time, chance, ids and timers; for tests. */
  readonly ports?: Ports;
}

const MIN_TOKEN_LENGTH = 32;
// Fits into the small body that it is traded for a cookie with, whatever characters of it JSON has to escape.
const MAX_TOKEN_LENGTH = 256;

const OPTION_NAMES: readonly string[] = Object.keys({
  environment: true,
  allowInProduction: true,
  authorize: true,
  token: true,
  path: true,
  hosts: true,
  tenant: true,
  context: true,
  readOnly: true,
  revealRaw: true,
  traces: true,
  prices: true,
  name: true,
  version: true,
  limits: true,
  onAccess: true,
  onError: true,
  ports: true,
} satisfies Record<keyof ReflectionOptions, true>);

/** @throws TurnkeepError FAILED_PRECONDITION in production, INVALID_ARGUMENT for an unknown option, a token that could be guessed or prices that are none. */
export function checkReflectionOptions(options: ReflectionOptions): void {
  checkNames(options, { kind: "option", names: OPTION_NAMES });
  checkNames(options.limits ?? {}, {
    kind: "limit",
    names: Object.keys(DEFAULT_HTTP_LIMITS),
  });
  const { environment, allowInProduction, authorize, token, prices } = options;
  if (prices !== undefined) checkPrices(prices);
  if (environment === "production" && !(allowInProduction === true && authorize)) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "The reflection API is for development. To serve it in production, give both 'allowInProduction: true' and 'authorize'.",
    );
  }
  const isLong = token !== undefined && token.length > MAX_TOKEN_LENGTH;
  if (token !== undefined && (token.length < MIN_TOKEN_LENGTH || isLong)) {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `'token' must have ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} characters. Leave it out for a random one.`,
    );
  }
}
