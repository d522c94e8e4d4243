import type { Artifact, Message, Part, SessionSnapshot, SessionState } from "turnkeep/protocol";

/** One part of each kind, and some variants. */
export const PARTS: readonly Part[] = [
  { text: "hello", metadata: { lang: "en" } },
  { text: "hello", data: [1], custom: { cached: true } },
  { text: "" },
  { media: { url: "https://example.com/a.png", contentType: "image/png" } },
  { toolRequest: { name: "refund", ref: "1", input: { amount: 2 }, partial: true } },
  { toolRequest: { name: "ask" }, metadata: { interrupt: true } },
  { toolResponse: { name: "refund", ref: "1", output: false, content: [{ text: "done" }] } },
  { data: [1, { a: null }] },
  { custom: { kind: "code" } },
  { reasoning: "because" },
  { resource: { uri: "file:///a" } },
];

export const MESSAGE: Message = { role: "user", content: PARTS, metadata: { at: 1 } };

export const ARTIFACT: Artifact = { name: "note.md", parts: [{ text: "# hi" }], metadata: {} };

export const STATE: SessionState = {
  sessionId: "user-42",
  messages: [MESSAGE, { role: "model", content: [] }],
  custom: { mood: "calm", list: [1, 2] },
  artifacts: [ARTIFACT, { parts: [] }],
  promptInput: { role: "helper" },
};

export const SNAPSHOT: SessionSnapshot = {
  snapshotId: "snap",
  sessionId: "user-42",
  parentId: "before",
  createdAt: "2026-11-15T12:00:00.123Z",
  updatedAt: "2026-11-15T12:00:01+02:00",
  heartbeatAt: "2026-11-15T12:00:01.123456-00:30",
  status: "failed",
  finishReason: "failed",
  error: { status: "INTERNAL", message: "broke", details: null },
  state: STATE,
};
