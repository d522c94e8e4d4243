import type { AgentMetadata, JsonObject } from "../protocol/index.ts";

const TEXT: JsonObject = { type: "string" };
const LIST: JsonObject = { type: "array", items: { type: "object" } };
const FLAG: JsonObject = { type: "boolean" };

const MESSAGE: JsonObject = {
  type: "object",
  required: ["role", "content"],
  properties: {
    role: { enum: ["system", "user", "model", "tool"] },
    content: LIST,
    metadata: { type: "object" },
  },
};

const ARTIFACTS: JsonObject = {
  type: "array",
  items: {
    type: "object",
    required: ["parts"],
    properties: { name: TEXT, parts: LIST, metadata: { type: "object" } },
  },
};

/** What a conversation may start from. The members are the RFC's for every agent; who keeps the state decides which of them are refused. */
export function initSchema({ stateManagement, stateSchema }: AgentMetadata): JsonObject {
  const isKept = stateManagement === "server";
  const kept = isKept
    ? { description: "Refused with FAILED_PRECONDITION unless empty: this agent keeps its state." }
    : {};
  const carried = isKept
    ? {}
    : { description: "Refused with FAILED_PRECONDITION: this agent has no store." };
  return {
    type: "object",
    properties: {
      sessionId: TEXT,
      snapshotId: { ...TEXT, ...carried },
      messages: { type: "array", items: MESSAGE, ...kept },
      state: { ...stateSchema, ...kept },
      artifacts: { ...ARTIFACTS, ...kept },
      sessionState: { type: "object", ...kept },
      promptInput: {},
    },
    additionalProperties: false,
  };
}

/** A message of the user, as the RFC has it, or an input of all that a turn can be given. */
export const INPUT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    role: { const: "user" },
    content: { anyOf: [TEXT, LIST] },
    metadata: { type: "object" },
    message: MESSAGE,
    resume: { type: "object", properties: { respond: LIST, restart: LIST } },
    detach: FLAG,
    promptInput: {},
  },
  additionalProperties: false,
};

export const OUTPUT_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    sessionId: TEXT,
    messages: { type: "array", items: MESSAGE },
    state: {},
    artifacts: ARTIFACTS,
    snapshotId: TEXT,
    message: MESSAGE,
    output: {},
    finishReason: TEXT,
    error: { type: "object" },
    sessionState: { type: "object" },
  },
};

/** One event of a stream; which of the members it has, its name says. */
export function streamSchema(stateSchema: JsonObject | undefined): JsonObject {
  return {
    type: "object",
    properties: {
      sessionId: TEXT,
      chunk: { type: "object", properties: { role: TEXT, content: LIST } },
      stateUpdate: { type: "object", ...(stateSchema && { $comment: "Members of the state." }) },
      patch: LIST,
      rev: { type: "integer" },
      artifact: ARTIFACTS["items"] as JsonObject,
      status: {},
      snapshotId: TEXT,
      finishReason: TEXT,
    },
  };
}
