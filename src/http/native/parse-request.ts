import type { CallOptions } from "../../agent/index.ts";
import {
  checkNames,
  type Hints,
  type Json,
  type JsonObject,
  TurnkeepError,
} from "../../protocol/index.ts";
import type { ServedAgent } from "../served-agents.ts";

export type Fields = Readonly<Record<string, Json | undefined>>;

/** @throws TurnkeepError INVALID_ARGUMENT when the body is no object, or has other members than these. */
export function fieldsOf(body: Json, names: readonly string[], hints?: Hints): Fields {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new TurnkeepError("INVALID_ARGUMENT", "The body must be an object.");
  }
  checkNames(body, { kind: "request field", names, hints });
  return body as Fields;
}

/** Where a run starts, and what the caller says of it besides. Types are checked by the agent. */
export function callOf(
  agent: ServedAgent,
  { init, onBusy, expectedHead, requestId }: Fields,
): CallOptions<never> {
  const said = { onBusy, expectedHead, requestId };
  const given = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return { ...agent.parseClientInit(init ?? {}), ...given };
}

/**
 * The entries of metadata that sessions are asked for by: an object of JSON in the query. Its type is checked by the agent.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when it is no JSON.
 */
export function metadataOf({ searchParams }: URL): { readonly metadata?: JsonObject } {
  const text = searchParams.get("metadata");
  if (text === null) return {};
  try {
    return { metadata: JSON.parse(text) as JsonObject };
  } catch {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      `'metadata' must be an object of JSON, such as {"userId":"ada"}.`,
    );
  }
}

/** A whole number from the query; `undefined` when it is not there. @throws TurnkeepError INVALID_ARGUMENT. */
export function countOf(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new TurnkeepError("INVALID_ARGUMENT", `'${name}' must be a whole number.`);
}
