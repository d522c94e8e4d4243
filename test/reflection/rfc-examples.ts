// What the RFC of the reflection API asks for, endpoint by endpoint: the fields it names and their kinds, with values of our own.

/** A: two agents as they are listed, one whose clients carry the state and one with a store. */
export const GARDENER = {
  name: "gardener",
  description: "Knows when to plant what.",
  hasStore: false,
  metadata: { version: "2.1.0", tags: ["garden", "seasons"] },
} as const;

export const LIBRARIAN = {
  name: "librarian",
  description: "Remembers what you have read.",
  hasStore: true,
  storeType: "any",
  metadata: {},
} as const;

/** B: an agent's schemas, by the properties that each has and their types; `any` may be of any. */
export const SCHEMAS = {
  initSchema: { sessionId: "string", messages: "array", state: "any", artifacts: "array" },
  inputSchema: { content: "any" },
  outputSchema: { sessionId: "string", messages: "array", state: "any", artifacts: "array" },
  streamSchema: { sessionId: "string", chunk: "any", stateUpdate: "any", artifact: "any" },
} as const;

/** C: a page of sessions. */
export const SESSIONS = {
  sessions: [
    {
      sessionId: "shelf-7",
      agentName: "librarian",
      createdAt: 1_794_800_000_000,
      updatedAt: 1_794_800_060_000,
      status: "completed",
      messageCount: 2,
      hasArtifacts: true,
      metadata: {},
    },
  ],
  continuationToken: "more",
} as const;

/** D: one session. Artifacts are part of the state, messages stand in the thread `main`. */
export const SESSION = {
  sessionId: "shelf-7",
  agentName: "librarian",
  createdAt: 1_794_800_000_000,
  updatedAt: 1_794_800_060_000,
  status: "completed",
  state: {
    lastTopic: "bees",
    preferences: { loans: "long" },
    artifacts: [
      {
        name: "reading-list",
        parts: [{ text: "1. A book about bees" }],
        metadata: { writtenAt: 1_794_800_030_000 },
      },
    ],
  },
  threads: {
    main: [
      { role: "user", content: [{ text: "Good morning!" }] },
      { role: "model", content: [{ text: "Welcome back. Which book is it today?" }] },
    ],
  },
  metadata: {},
} as const;

/** E: a turn. */
export const TURN = {
  input: { role: "user", content: [{ text: "Which book is due next?" }] },
  init: { sessionId: "shelf-7", messages: [], state: {}, artifacts: [] },
  stream: true,
  telemetryLabels: { source: "a tool", reader: "ada" },
} as const;

export const ANSWER = {
  result: { sessionId: "shelf-7", messages: [], state: {}, artifacts: [] },
  telemetry: { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" },
} as const;

/** E: the events of a streamed turn, in order. */
export const EVENTS = [
  { event: "chunk", data: { sessionId: "shelf-7", chunk: { content: [{ text: "The book" }] } } },
  {
    event: "chunk",
    data: { sessionId: "shelf-7", chunk: { content: [{ text: " about bees." }] } },
  },
  { event: "stateUpdate", data: { sessionId: "shelf-7", stateUpdate: { step: "looking it up" } } },
  {
    event: "artifact",
    data: { sessionId: "shelf-7", artifact: { name: "receipt", parts: [{ text: "due Friday" }] } },
  },
  { event: "done", data: { sessionId: "shelf-7", messages: [], state: {} } },
  { event: "telemetry", data: { traceId: "0af7651916cd43dd8448eb211c80319c" } },
] as const;

/** F: a session that was deleted. */
export const DELETED = { success: true, sessionId: "shelf-7" } as const;

/** Where a value lacks what an example has, or has it of another kind. Free data is not looked into. */
export function differences(example: unknown, value: unknown, at = ""): readonly string[] {
  if (kindOf(example) !== kindOf(value)) {
    return [`${at}: ${kindOf(value)} instead of ${kindOf(example)}`];
  }
  if (Array.isArray(example)) {
    return example.length === 0 ? [] : differences(example[0], (value as unknown[])[0], `${at}/0`);
  }
  if (kindOf(example) !== "object" || at.endsWith("/metadata")) return [];
  return Object.entries(example as object).flatMap(([name, member]) =>
    differences(member, (value as Record<string, unknown>)[name], `${at}/${name}`),
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}
