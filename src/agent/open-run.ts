import type { SessionContent } from "../ledger/index.ts";
import { contentFrom, EMPTY_CONTENT, freezeContent, GrownList } from "../ledger/index.ts";
import {
  type AgentInit,
  ANSWER_LIMITS,
  parseSessionState,
  type SessionState,
  STATE_HINTS,
} from "../protocol/index.ts";
import { type AgentDefinition, needsStore } from "./agent-definition.ts";
import { AgentRun } from "./agent-run.ts";
import type { CallOptions } from "./agent.ts";
import { CALL_OPTIONS, checkOptions } from "./check-options.ts";
import { CarriedRun } from "./carried-run.ts";
import { checkStart } from "./init-policy.ts";
import { plainCopy } from "./plain-copy.ts";
import { findPublicId, getPublicId } from "./public-id.ts";
import type { RunKeeper } from "./run-keeper.ts";
import { RunPlace } from "./run-place.ts";
import { snapshotEvents, wantsSnapshot } from "./snapshot-when.ts";
import { StoredRun } from "./stored-run.ts";
import type { FirstInput } from "./stored-run-options.ts";

// Shared, as making one for every run costs more than the rest of starting it.
const NEVER = new AbortController().signal;

/**
 * Starts a run of the agent where the caller says.
 *
 * @throws TurnkeepError when the start does not fit how the agent keeps its state.
 */
export function openRun<Custom>(
  definition: AgentDefinition<Custom>,
  options: CallOptions<Custom>,
): AgentRun<Custom> {
  checkOptions(options, CALL_OPTIONS, STATE_HINTS);
  const { sessionId, snapshotId, state, metadata } = options;
  checkStart(definition.name, options, definition.ledger !== undefined);
  const signal = options.signal ?? NEVER;
  const keeper = definition.ledger
    ? storedKeeper(definition, options)
    : carriedKeeper(definition, options, signal);
  const init: AgentInit<Custom> = {
    ...(sessionId !== undefined && { sessionId }),
    ...(snapshotId !== undefined && { snapshotId }),
    ...(state !== undefined && { state }),
    ...(metadata !== undefined && { metadata }),
  };
  return runOf(definition, keeper, { options, init, signal });
}

/** A run over any keeper. */
export function runOf<Custom>(
  definition: AgentDefinition<Custom>,
  keeper: RunKeeper,
  call: {
    readonly options: CallOptions<Custom>;
    readonly init: AgentInit<Custom>;
    readonly signal: AbortSignal;
  },
): AgentRun<Custom> {
  const { work, limits, ports, telemetry, state } = definition;
  const place = keeper instanceof StoredRun && keeper.sendsAway ? new RunPlace() : undefined;
  return new AgentRun<Custom>(keeper, {
    work: place ? place.guard(work) : work,
    limits,
    ports,
    telemetry,
    context: call.options.context ?? {},
    init: call.init,
    signal: call.signal,
    ...(place && { place }),
    ...(call.options.telemetryLabels && { telemetryLabels: call.options.telemetryLabels }),
    state,
  });
}

function storedKeeper<Custom>(
  definition: AgentDefinition<Custom>,
  options: CallOptions<Custom>,
): RunKeeper {
  const { ports, limits, ledger } = definition;
  const { dispatcher } = definition.options;
  if (ledger === undefined) throw needsStore(definition.name);
  const place = options.snapshotId === undefined ? undefined : findPublicId(options.snapshotId);
  const sessionId = options.sessionId ?? place?.sessionId ?? ports.ids.next();
  return new StoredRun({
    open: () => openFor(definition, options.snapshotId),
    ledger,
    key: definition.keyOf(sessionId, options.tenant),
    runId: ports.ids.next(),
    leaseMs: limits.leaseMs,
    stepsPerTurn: limits.stepsPerTurn,
    onBusy: options.onBusy ?? definition.options.onBusy ?? "reject",
    keepsChunks: definition.options.events !== "process",
    notesStarts: definition.options.transformState !== undefined,
    wantsSnapshot: wantsSnapshot(definition, { sessionId, context: options.context ?? {} }),
    snapshotEvents: snapshotEvents(definition),
    first: firstInput(options),
    ...(dispatcher && { dispatcher }),
  });
}

function openFor<Custom>(
  definition: AgentDefinition<Custom>,
  snapshotId: string | undefined,
): Promise<unknown> | undefined {
  if (snapshotId !== undefined) return openAt(definition, snapshotId);
  return definition.isOpen ? undefined : definition.open();
}

async function openAt<Custom>(
  definition: AgentDefinition<Custom>,
  snapshotId: string,
): Promise<void> {
  // A text that is no id of ours names no snapshot.
  getPublicId(snapshotId);
  if (!definition.isOpen) await definition.open();
}

function firstInput<Custom>({
  snapshotId,
  requestId,
  principal,
  metadata,
  expectedHead,
}: CallOptions<Custom>): FirstInput {
  return {
    parentId: snapshotId === undefined ? undefined : internalId(snapshotId),
    requestId,
    principal,
    metadata: metadata && plainCopy(metadata, "metadata"),
    expectedHead: typeof expectedHead === "string" ? internalId(expectedHead) : expectedHead,
  };
}

// What is no id of ours stays as it is: no snapshot has it, and the answer says so.
function internalId(publicId: string): string {
  return findPublicId(publicId)?.id ?? publicId;
}

function carriedKeeper<Custom>(
  definition: AgentDefinition<Custom>,
  { state, tenant }: CallOptions<Custom>,
  signal: AbortSignal,
): RunKeeper {
  const { ports, clientState, name } = definition;
  const about = { tenant: tenant ?? definition.options.tenant ?? "local", agent: name };
  // As much is taken as an agent may put out; HTTP holds strangers to less.
  const sent = state && parseSessionState(state, { limits: ANSWER_LIMITS });
  return new CarriedRun({
    tenant: about.tenant,
    sessionId: sent?.sessionId ?? ports.ids.next(),
    mostCharacters: definition.limits.stateCharacters,
    notesStarts: definition.options.transformState !== undefined,
    runId: ports.ids.next(),
    signal,
    content: async () => {
      if (sent === undefined) return EMPTY_CONTENT;
      return contentOf(clientState ? await clientState.open(sent, about) : sent);
    },
  });
}

/** The content of a state that a client carries. */
export function contentOf({
  messages,
  custom,
  artifacts,
  promptInput,
  stateVersion,
}: SessionState): SessionContent {
  const content = contentFrom({
    messages: GrownList.of([...(messages ?? [])]),
    artifacts: artifacts ?? [],
    custom,
    promptInput,
    stateVersion,
  });
  return freezeContent(content, EMPTY_CONTENT);
}
