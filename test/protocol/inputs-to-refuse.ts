import {
  parseAgentAbortRequest,
  parseAgentInit,
  parseAgentInput,
  parseAgentMetadata,
  parseAgentOutput,
  parseAgentStreamChunk,
  parseGetSnapshotRequest,
  parseJsonPatch,
  type Parser,
  parseSessionSnapshot,
  parseSessionState,
} from "turnkeep/protocol";

/** An input that must be refused, and the exact message. */
export type Refused = readonly [parse: Parser<unknown>, value: unknown, message: string];

function content(...parts: unknown[]): object {
  return { message: { role: "user", content: parts } };
}

const ONE_KIND =
  "must be a part with exactly one of text, media, toolRequest, toolResponse, data, custom, reasoning, resource.";
const text = { text: "ok" };

export const INPUTS_TO_REFUSE: readonly Refused[] = [
  [parseAgentInput, { message: 1 }, "message must be a plain object."],
  [parseAgentInput, { message: null }, "message must be a plain object."],
  [parseAgentInput, { message: {} }, "message.role must be present."],
  [
    parseAgentInput,
    { message: { role: "root", content: [] } },
    "message.role must be one of system, user, model, tool.",
  ],
  [
    parseAgentInput,
    { message: { role: "toString", content: [] } },
    "message.role must be one of system, user, model, tool.",
  ],
  [parseAgentInput, { message: { role: "user" } }, "message.content must be present."],
  [
    parseAgentInput,
    { message: { role: "user", content: "hi" } },
    "message.content must be an array.",
  ],
  [
    parseAgentInput,
    { message: { role: "user", content: [], metadata: [] } },
    "message.metadata must be a plain object.",
  ],
  [parseAgentInput, content("hi"), "message.content[0] must be a plain object."],
  [parseAgentInput, content(text, {}), `message.content[1] ${ONE_KIND}`],
  [parseAgentInput, content({ metadata: {} }), `message.content[0] ${ONE_KIND}`],
  [
    parseAgentInput,
    content({ text: "a", reasoning: "b", data: 1 }),
    `message.content[0] ${ONE_KIND}`,
  ],
  [parseAgentInput, content({ text: null }), "message.content[0].text must be a string."],
  [parseAgentInput, content({ text: 1 }), "message.content[0].text must be a string."],
  [parseAgentInput, content({ reasoning: [] }), "message.content[0].reasoning must be a string."],
  [parseAgentInput, content({ media: {} }), "message.content[0].media.url must be present."],
  [
    parseAgentInput,
    content({ media: { url: "" } }),
    "message.content[0].media.url must be a string that is not empty.",
  ],
  [
    parseAgentInput,
    content({ media: { url: "u", contentType: null } }),
    "message.content[0].media.contentType must be a string.",
  ],
  [
    parseAgentInput,
    content(text, text, { toolRequest: { name: 7 } }),
    "message.content[2].toolRequest.name must be a string.",
  ],
  [
    parseAgentInput,
    content({ toolRequest: { name: "t", partial: "yes" } }),
    "message.content[0].toolRequest.partial must be true or false.",
  ],
  [
    parseAgentInput,
    content({ toolResponse: { name: "t", content: [text, 1] } }),
    "message.content[0].toolResponse.content[1] must be a plain object.",
  ],
  [parseAgentInput, content({ custom: "x" }), "message.content[0].custom must be a plain object."],
  [parseAgentInput, content({ resource: {} }), "message.content[0].resource.uri must be present."],
  [parseAgentInput, content({ data: { a: Number.NaN } }), "message.content[0].data… must be JSON."],
  [parseAgentInput, content({ data: () => 1 }), "message.content[0].data must be JSON."],
  [parseAgentInput, { resume: [] }, "resume must be a plain object."],
  [
    parseAgentInput,
    { resume: { respond: [text] } },
    "resume.respond[0] must be a part with toolResponse.",
  ],
  [
    parseAgentInput,
    { resume: { restart: [{ toolResponse: { name: "t" } }] } },
    "resume.restart[0] must be a part with toolRequest.",
  ],
  [parseAgentInput, { detach: "true" }, "detach must be true or false."],
  [parseAgentInit, { snapshotId: null }, "snapshotId must be a string."],
  [
    parseAgentInit,
    { sessionId: "  " },
    "sessionId must be an id that is not blank and holds no control characters.",
  ],
  [
    parseAgentInit,
    { sessionId: "a\nb" },
    "sessionId must be an id that is not blank and holds no control characters.",
  ],
  [
    parseAgentInit,
    { sessionId: "a\0" },
    "sessionId must be an id that is not blank and holds no control characters.",
  ],
  [
    parseAgentInit,
    { sessionId: "\ud800" },
    "sessionId must be an id that is not blank and holds no control characters.",
  ],
  [
    parseAgentInit,
    { sessionId: "x".repeat(801) },
    "sessionId must be an id of at most 800 characters.",
  ],
  [parseAgentInit, { state: "s" }, "state must be a plain object."],
  [parseAgentInit, { state: { messages: {} } }, "state.messages must be an array."],
  [parseAgentInit, { state: { messages: [1] } }, "state.messages[0] must be a plain object."],
  [parseAgentInit, { state: { artifacts: [{}] } }, "state.artifacts[0].parts must be present."],
  [
    parseAgentInit,
    { promptInput: undefined, state: { promptInput: 1n } },
    "state.promptInput must be JSON.",
  ],
  [parseSessionState, { custom: { deep: [new Date(0)] } }, "custom… must be a plain object."],
  [parseSessionState, { custom: [1, undefined] }, "custom… must be JSON."],
  // oxlint-disable-next-line no-sparse-arrays -- the hole is the point
  [parseSessionState, { custom: [1, , 2] }, "custom… must be JSON."],
  [parseGetSnapshotRequest, { snapshotId: 1 }, "snapshotId must be a string."],
  [parseAgentAbortRequest, {}, "snapshotId must be present."],
  [
    parseAgentAbortRequest,
    { snapshotId: "" },
    "snapshotId must be an id that is not blank and holds no control characters.",
  ],
  [parseSessionSnapshot, { snapshotId: "s" }, "createdAt must be present."],
  [
    parseSessionSnapshot,
    { snapshotId: "s", createdAt: "yesterday" },
    "createdAt must be a date and time as in RFC 3339.",
  ],
  [
    parseSessionSnapshot,
    { snapshotId: "s", createdAt: "2026-13-01T00:00:00Z" },
    "createdAt must be a date and time as in RFC 3339.",
  ],
  [
    parseSessionSnapshot,
    { snapshotId: "s", createdAt: 1 },
    "createdAt must be a date and time as in RFC 3339.",
  ],
  [
    parseSessionSnapshot,
    { snapshotId: "s", createdAt: "2026-11-15T00:00:00Z", status: "done" },
    "status must be one of pending, completed, aborted, failed, expired.",
  ],
  [
    parseAgentOutput,
    { finishReason: "bored" },
    "finishReason must be one of stop, length, blocked, interrupted, other, unknown, aborted, detached, failed.",
  ],
  [parseAgentOutput, { error: {} }, "error.message must be present."],
  [parseAgentStreamChunk, { modelChunk: {} }, "modelChunk.content must be present."],
  [
    parseAgentStreamChunk,
    { modelChunk: { content: [], index: -1 } },
    "modelChunk.index must be a whole number from zero up.",
  ],
  [parseAgentStreamChunk, { turnEnd: null }, "turnEnd must be a plain object."],
  [
    parseAgentStreamChunk,
    { customPatch: [{ op: "add", path: "/a" }] },
    "customPatch[0].value must be present.",
  ],
  [
    parseAgentStreamChunk,
    { customPatch: [{ op: "move", path: "/a" }] },
    "customPatch[0].from must be present.",
  ],
  [
    parseAgentStreamChunk,
    { customPatch: [{ op: "spam", path: "" }] },
    "customPatch[0].op must be one of add, remove, replace, move, copy, test.",
  ],
  [
    parseJsonPatch,
    [{ op: "remove", path: "a" }],
    "patch[0].path must be empty or start with a slash, and hold ~ only as ~0 or ~1.",
  ],
  [
    parseJsonPatch,
    [{ op: "remove", path: "/a/__proto__/b" }],
    "patch[0].path must be free of reserved names.",
  ],
  [
    parseJsonPatch,
    [{ op: "copy", path: "/a", from: "/constructor" }],
    "patch[0].from must be free of reserved names.",
  ],
  [
    parseAgentMetadata,
    { stateManagement: "both" },
    "stateManagement must be one of server, client.",
  ],
];
