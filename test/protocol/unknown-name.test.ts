import { checkNames, parseAgentInit, parseAgentInput, unknownName } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";

const KNOWN = {
  kind: "option",
  names: ["sessionId", "snapshotId", "state", "onBusy", "signal"],
};

describe("an unknown name", () => {
  it.each([
    ["sessionID", "sessionId"],
    ["sessionid", "sessionId"],
    ["sesionId", "sessionId"],
    ["snapshot_id", "snapshotId"],
    ["onbusy", "onBusy"],
    ["sate", "state"],
    ["singal", "signal"],
    ["satte", "state"],
    ["onBsuy", "onBusy"],
  ])("%s comes with the nearest known one, %s", (name, nearest) => {
    expect(unknownName(name, KNOWN)).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: `Unknown option \`${name}\`. Did you mean \`${nearest}\`?`,
      details: { name, nearest },
    });
  });

  it.each(["threadId2000", "x", "temperature"])(
    "%s that is like none comes with all of them",
    (name) => {
      expect(unknownName(name, KNOWN)).toMatchObject({
        message: `Unknown option \`${name}\`. Expected one of \`sessionId\`, \`snapshotId\`, \`state\`, \`onBusy\`, \`signal\`.`,
        details: { name },
      });
    },
  );

  it.each(["my secret", "a\nb", "k".repeat(65), "<b>", ""])(
    "that cannot be a slip of the pen is not repeated: %j",
    (name) => {
      const { message, details } = unknownName(name, { kind: "option", names: ["one"] });
      expect(message).toBe("Unknown option. Expected one of `one`.");
      expect(details).toEqual({});
    },
  );

  it("is looked up among hints first", () => {
    const { message } = unknownName("messages", {
      kind: "option",
      names: ["message"],
      hints: { messages: "state.messages" },
    });
    expect(message).toBe("Unknown option `messages`. Did you mean `state.messages`?");
  });

  it.each(["toString", "__proto__", "constructor"])(
    "is never one that objects inherit: %s",
    (name) => {
      expect(() => checkNames(JSON.parse(`{"${name}":1}`) as object, KNOWN)).toThrow(
        /^Unknown option/,
      );
    },
  );

  it("that is undefined counts as absent", () => {
    expect(() => checkNames({ other: undefined }, KNOWN)).not.toThrow();
  });
});

describe("a field under a wrong name is refused with the right one", () => {
  it.each([
    [
      () => parseAgentInit({ sessionID: "s" }),
      "Unknown init field `sessionID`. Did you mean `sessionId`?",
    ],
    [
      () => parseAgentInit({ messages: [] }),
      "Unknown init field `messages`. Did you mean `state.messages`?",
    ],
    [
      () => parseAgentInit({ artifacts: [] }),
      "Unknown init field `artifacts`. Did you mean `state.artifacts`?",
    ],
    [
      () => parseAgentInit({ state: { mesages: [] } }),
      "Unknown state field `mesages`. Did you mean `messages`?",
    ],
    [
      () => parseAgentInput({ messages: [] }),
      "Unknown input field `messages`. Did you mean `message`?",
    ],
    [
      () => parseAgentInput({ resume: { response: [] } }),
      "Unknown resume field `response`. Did you mean `respond`?",
    ],
  ])("%s", (parse, message) => {
    expect(parse).toThrow(message);
  });
});
