import type { CallContext } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** Who asks, as the application's own sign-in tells. */
export interface Identity {
  /** Whose data it is. Nobody sees anything of another tenant's. */
  readonly tenant: string;
  /** Which person or program of the tenant. Sessions are a principal's own, unless they are said to be the tenant's. */
  readonly principal?: string;
  /** What agents, transforms and tools are told of the caller. */
  readonly context?: CallContext;
  /** May export, import and edit sessions, whatever transforms hide from others. */
  readonly isOperator?: boolean;
}

/** Tells who a request is from; `undefined` when nobody may know. Looks at headers only: the body is not read yet. */
export type Authenticate = (
  request: Request,
) => Identity | undefined | Promise<Identity | undefined>;

/** How a request is let in: by the application's word, or anybody. There is no default. */
export type AuthDecision = Authenticate | "public";

/** Who asks, as the agents know it. */
export interface Caller {
  /** Tells callers apart, for what each may use; absent where everybody is let in. */
  readonly name?: string;
  /** Absent where everybody is let in: then the agents' own tenant counts. */
  readonly tenant?: string;
  readonly principal?: string;
  readonly context: CallContext;
  readonly isOperator: boolean;
}

const ANYBODY: Caller = { context: {}, isOperator: false };

/**
 * @throws TurnkeepError UNAUTHENTICATED when the application does not know the caller, INTERNAL when it names no tenant.
 */
export async function identify(
  request: Pick<IncomingRequest, "toRequest">,
  auth: AuthDecision,
  sessionsOf: "principal" | "tenant",
): Promise<Caller> {
  if (auth === "public") return ANYBODY;
  const identity = await auth(request.toRequest());
  if (!identity) throw new TurnkeepError("UNAUTHENTICATED", "Sign in first.");
  const { tenant, principal, context = {}, isOperator = false } = identity;
  if (!isName(tenant)) throw misnamed("tenant");
  if (principal !== undefined && !isName(principal)) throw misnamed("principal");
  const name = ownerOf(identity);
  return {
    name,
    tenant: sessionsOf === "tenant" ? ownerOf({ tenant }) : name,
    ...(principal !== undefined && { principal }),
    context,
    isOperator,
  };
}

/**
 * The tenant that sessions are kept under, for code that reads them in process: those of a principal, or, without one, those that all principals of
 * the tenant share.
 */
export function ownerOf({ tenant, principal }: Pick<Identity, "tenant" | "principal">): string {
  // Encoded, so that no two owners read the same.
  const names = principal === undefined ? [tenant] : [tenant, principal];
  return names.map(encodeURIComponent).join("/");
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && !/\p{Surrogate}/u.test(value);
}

function misnamed(what: "tenant" | "principal"): TurnkeepError {
  return new TurnkeepError("INTERNAL", `The auth hook gives no text as the ${what}.`);
}
