import type { Ledger, SessionKey } from "../ledger/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { ReadOptions } from "./agent.ts";
import { checkOptions, checkText, READ_OPTIONS } from "./check-options.ts";
import { findPublicId, toPublicId } from "./public-id.ts";

/** Where a session is, for whoever asks. */
export interface Located {
  readonly ledger: Ledger;
  readonly key: SessionKey;
}

/** Who reads, of all that a call says. */
export function readerOf({ context, tenant, unredacted }: ReadOptions): ReadOptions {
  return {
    ...(context !== undefined && { context }),
    ...(tenant !== undefined && { tenant }),
    ...(unredacted !== undefined && { unredacted }),
  };
}

/** @throws TurnkeepError INVALID_ARGUMENT for what is no session id. */
export async function locateSession<Custom>(
  definition: AgentDefinition<Custom>,
  sessionId: string,
  options: ReadOptions,
): Promise<Located> {
  checkOptions(options, READ_OPTIONS);
  const key = definition.keyOf(sessionId, options.tenant);
  return { ledger: await definition.open(), key };
}

/**
 * Where the snapshot or run of this id would be. It may not be there: an id proves nothing.
 *
 * @throws TurnkeepError NOT_FOUND for text that is no id of ours.
 */
export async function locate<Custom>(
  definition: AgentDefinition<Custom>,
  publicId: string,
  options: ReadOptions,
): Promise<Located & { readonly id: string }> {
  checkOptions(options, READ_OPTIONS);
  checkText(publicId, "The id");
  const ledger = await definition.open();
  const found = findPublicId(publicId);
  if (found === undefined) throw missingSnapshot(definition.name, publicId);
  return { ledger, key: definition.keyOf(found.sessionId, options.tenant), id: found.id };
}

export function missingSnapshot(agent: string, snapshotId: string): TurnkeepError {
  return new TurnkeepError(
    "NOT_FOUND",
    `Snapshot '${snapshotId}' not found for agent '${agent}'.`,
    { details: { snapshotId } },
  );
}

/** The error with the id that clients know, where the ledger missed a snapshot by its own. */
export function withPublicId(error: unknown, agent: string, { sessionId }: SessionKey): unknown {
  const isMissing = TurnkeepError.is(error) && error.status === "NOT_FOUND";
  const id = isMissing ? error.details["snapshotId"] : undefined;
  return typeof id === "string" ? missingSnapshot(agent, toPublicId({ sessionId, id })) : error;
}
