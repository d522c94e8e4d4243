export { appendModelChunk } from "./append-model-chunk.ts";
export { assertJson } from "./assert-json.ts";
export { type EventId, formatEventId, parseEventId } from "./event-id.ts";
export {
  checkResume,
  type MatchedAnswer,
  type MatchedResume,
  matchResume,
  openRequests,
} from "./interrupts/match-resume.ts";
export {
  type InterruptSource,
  mergeResumes,
  openInterrupts,
  type OpenInterrupt,
} from "./interrupts/open-interrupts.ts";
export type { Json, JsonObject } from "./json.ts";
export { ANSWER_LIMITS, type LimitOptions, type Limits, LIMITS } from "./limits.ts";
export { onAbort } from "./on-abort.ts";
export { parseJson } from "./parse-json.ts";
export { applyBoundedPatch, type PatchBounds } from "./patch/apply-bounded-patch.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export { diffJson, patchOrReplace } from "./patch/diff-json.ts";
export { jsonEqual } from "./patch/json-equal.ts";
export { type JsonPatchOperation, parseJsonPatch } from "./patch/json-patch-operation.ts";
export { escapeToken, findArrayIndex, formatPointer, parsePointer } from "./patch/json-pointer.ts";
export { isReservedKey } from "./schema/containers.ts";
export { SendReceipt } from "./send-receipt.ts";
export type { ParseOptions, Parser } from "./schema/parser.ts";
export {
  type AgentAbortRequest,
  type AgentAbortResponse,
  parseAgentAbortRequest,
  parseAgentAbortResponse,
} from "./shapes/agent-abort.ts";
export { type AgentFinishReason, FINISH_REASONS } from "./shapes/agent-finish-reason.ts";
export { type AgentInit, parseAgentInit } from "./shapes/agent-init.ts";
export { type AgentInput, parseAgentInput, type Resume } from "./shapes/agent-input.ts";
export {
  type AgentMetadata,
  parseAgentMetadata,
  type StateManagement,
} from "./shapes/agent-metadata.ts";
export { type AgentOutput, type AgentOutputData, parseAgentOutput } from "./shapes/agent-output.ts";
export { agentOutput } from "./shapes/output-object.ts";
export { errorFromData } from "./shapes/error-from-data.ts";
export { type AgentResult, parseAgentResult } from "./shapes/agent-result.ts";
export {
  type AgentStreamChunk,
  parseAgentStreamChunk,
  type SubAgentChunk,
} from "./shapes/agent-stream-chunk.ts";
export { type Artifact, parseArtifact } from "./shapes/artifact.ts";
export { type GetSnapshotRequest, parseGetSnapshotRequest } from "./shapes/get-snapshot-request.ts";
export {
  type ListSnapshotsRequest,
  parseListSnapshotsRequest,
} from "./shapes/list-snapshots-request.ts";
export { type Message, parseMessage, type Role } from "./shapes/message.ts";
export type { ModelChunk } from "./shapes/model-chunk.ts";
export {
  type CustomPart,
  type DataPart,
  type Media,
  type MediaPart,
  parsePart,
  type Part,
  type PartKinds,
  type PartOf,
  type ReasoningPart,
  type Resource,
  type ResourcePart,
  type TextPart,
  type ToolRequest,
  type ToolRequestPart,
  type ToolResponse,
  type ToolResponsePart,
} from "./shapes/part.ts";
export { parseRuntimeError, type RuntimeError } from "./shapes/runtime-error.ts";
export { parseSessionSnapshot, type SessionSnapshot } from "./shapes/session-snapshot.ts";
export { parseSessionState, type SessionState, STATE_HINTS } from "./shapes/session-state.ts";
export type { SnapshotEventName } from "./shapes/snapshot-event.ts";
export type { SnapshotStatus } from "./shapes/snapshot-status.ts";
export type { TurnEnd } from "./shapes/turn-end.ts";
export { asciiJson, asciiText } from "./sse/ascii-json.ts";
export { decodeSse, type DecodeSseOptions, type SseBody } from "./sse/decode-sse.ts";
export { encodeSse, type SseFrame } from "./sse/encode-sse.ts";
export { SseDecoder, type SseMessage, type SseOptions } from "./sse/sse-decoder.ts";
export { httpCodeOf, isStatusName, STATUS, type StatusName } from "./status.ts";
export { type ErrorReason, TurnkeepError, type TurnkeepErrorOptions } from "./turnkeep-error.ts";
export { checkNames, type Hints, type KnownNames, unknownName } from "./unknown-name.ts";
