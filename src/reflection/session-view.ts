import type { InspectedSession, SessionState } from "../agent/index.ts";
import type { Artifact, Json, JsonObject, Message } from "../protocol/index.ts";
import { sessionStatus } from "./find-sessions.ts";
import { invalid } from "./query.ts";

/** A session as the RFC lists it, with what it leaves out beside it. Times are milliseconds since 1970. */
export function summaryOf(agentName: string, session: InspectedSession): object {
  const { sessionId, createdAt, updatedAt, title, tags, forkedFrom } = session;
  return {
    sessionId,
    agentName,
    createdAt,
    updatedAt,
    status: sessionStatus(session),
    messageCount: session.messageCount,
    hasArtifacts: session.artifactCount > 0,
    metadata: {
      ...(title !== undefined && { title }),
      ...(tags.length > 0 && { tags }),
      ...(forkedFrom && { forkedFrom }),
      ...session.metadata,
    },
    ...(title !== undefined && { title }),
    tags,
    isBusy: session.isBusy,
    isExpired: session.isExpired,
    ...(session.head && { head: session.head }),
    artifactCount: session.artifactCount,
    snapshotCount: session.snapshotCount,
    branchCount: session.branchCount,
    labels: session.labels,
    pins: session.pins,
  };
}

/** How many of a session's messages are wanted: all, none, or the last so many. */
export type Wanted = "all" | "none" | number;

/** @throws TurnkeepError INVALID_ARGUMENT. */
export function wantedOf({ searchParams }: URL): Wanted {
  const text = searchParams.get("messages") ?? "all";
  if (text === "all" || text === "none") return text;
  const count = /^tail:(\d{1,9})$/.exec(text)?.[1];
  if (count !== undefined) return Number(count);
  throw invalid("'messages' must be all, none or tail:N.");
}

export interface StateView {
  /** As the RFC has it: the custom state with the artifacts inside. */
  readonly state: Json;
  readonly messages: readonly Message[];
  /** How many there are, whether or not they are wanted. */
  readonly messageCount: number;
  readonly custom?: Json;
  readonly artifacts: readonly Artifact[];
  readonly promptInput?: Json;
}

/** The state as the RFC has it, and the same without loss beside it. */
export function stateView(given: SessionState<never> | undefined, wanted: Wanted): StateView {
  const { messages = [], custom, artifacts = [], promptInput } = (given ?? {}) as SessionState;
  return {
    state: rfcState(custom, artifacts),
    messages: wantedMessages(messages, wanted),
    messageCount: messages.length,
    ...(custom !== undefined && { custom }),
    artifacts,
    ...(promptInput !== undefined && { promptInput }),
  };
}

function wantedMessages(messages: readonly Message[], wanted: Wanted): readonly Message[] {
  if (wanted === "all") return messages;
  return wanted === "none" || wanted === 0 ? [] : messages.slice(-wanted);
}

function rfcState(custom: Json | undefined, artifacts: readonly Artifact[]): Json {
  const listed = artifacts as unknown as Json;
  if (isObject(custom)) return { ...custom, artifacts: listed };
  return { ...(custom !== undefined && { custom }), artifacts: listed };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
