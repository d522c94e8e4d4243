import {
  type AgentOptions,
  type CallOptions,
  defineCustomAgent,
  defineGeneratorAgent,
  type LocalAgent,
} from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, it } from "vitest";
import { echoAgent, user } from "../agents.ts";
import { agentOf, collect, errorOf } from "./turns.ts";

const STATE_OPTIONS = ["messages", "artifacts", "custom"] as const;

describe("an unknown option of an agent", () => {
  it.each<[object, string]>([
    [{ desciption: "x" }, "Unknown option `desciption`. Did you mean `description`?"],
    [
      { transformstate: () => {} },
      "Unknown option `transformstate`. Did you mean `transformState`?",
    ],
    [{ limits: { turnMS: 5 } }, "Unknown limit `turnMS`. Did you mean `turnMs`?"],
    [{ limits: { leaseMs: "5" } }, "The limit leaseMs must be a number from 0 up."],
    [
      { retention: { endedRunMs: 5 } },
      "Unknown retention option `endedRunMs`. Did you mean `endedRunsMs`?",
    ],
    [
      { clientState: { secret: "x".repeat(32), maxAge: 5 } },
      "Unknown clientState option `maxAge`. Did you mean `maxAgeMs`?",
    ],
    [
      { snapshotWhen: "sometimes" },
      "Unknown snapshot policy `sometimes`. Expected one of `always`, `never`.",
    ],
    [{ snapshotWhen: "nver" }, "Unknown snapshot policy `nver`. Did you mean `never`?"],
    [{ snapshotWhen: ["turnEnds"] }, "Unknown snapshot event `turnEnds`. Did you mean `turnEnd`?"],
    [{ onBusy: "quue" }, "Unknown busy policy `quue`. Did you mean `queue`?"],
    [{ onBusy: 5 }, "Unknown busy policy. Expected one of `reject`, `queue`, `interrupt`."],
    [{ events: "proces" }, "Unknown place for events `proces`. Did you mean `process`?"],
    [{ recordState: "yes" }, "recordState must be true or false."],
    [{ transformStream: {} }, "transformStream must be a function."],
  ])("%j is refused at its definition", async (options, message) => {
    const wrong = { name: "a", ...options };
    for (const define of [
      () => defineCustomAgent(wrong, () => {}),
      () => defineGeneratorAgent(wrong, (() => {}) as never),
    ]) {
      expect(await errorOf(define)).toMatchObject({ status: "INVALID_ARGUMENT", message });
    }
  });

  it("that is undefined counts as absent", () => {
    const options = { name: "a", other: undefined } as AgentOptions<never>;
    expect(() => defineCustomAgent(options, () => {})).not.toThrow();
  });
});

describe("an unknown option of a call", () => {
  const WRONG = { sessionID: "s" } as CallOptions;

  it.each<[string, (agent: LocalAgent) => unknown]>([
    ["run", (agent) => agent.run(user("hi"), WRONG)],
    ["runText", (agent) => agent.runText("hi", WRONG)],
    ["stream", (agent) => agent.stream(user("hi"), WRONG).output],
    ["connect", (agent) => agent.connect(WRONG)],
    ["detach", (agent) => agent.detach(user("hi"), WRONG)],
    ["fork", (agent) => agent.fork("s.1", WRONG)],
  ])("is refused by %s, with the nearest one, and nothing is done", async (_, call) => {
    const agent = echoAgent({ store: new MemoryStore() });
    const error = await errorOf(() => call(agent));
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: "Unknown option `sessionID`. Did you mean `sessionId`?",
    });
    expect((await agent.listSessions()).sessions).toEqual([]);
  });

  it.each<[string, (agent: LocalAgent, options: never) => unknown]>([
    ["attach", (agent, options) => collect(agent.attach("s.1", options))],
    ["waitFor", (agent, options) => agent.waitFor("s.1", options)],
    ["getOutput", (agent, options) => agent.getOutput("s.1", options)],
    ["abort", (agent, options) => agent.abort("s.1", options)],
    ["getSnapshot", (agent, options) => agent.getSnapshot("s.1", options)],
    ["getLatestSnapshot", (agent, options) => agent.getLatestSnapshot("s", options)],
    ["listSnapshots", (agent, options) => agent.listSnapshots("s", options)],
    ["listSessions", (agent, options) => agent.listSessions(options)],
    ["diff", (agent, options) => agent.diff("s.1", "s.2", options)],
    ["label", (agent, options) => agent.label("s", { pin: "s.1" }, options)],
    ["deleteSession", (agent, options) => agent.deleteSession("s", options)],
    ["exportSession", (agent, options) => collect(agent.exportSession("s", options))],
    ["importSession", (agent, options) => agent.importSession("s", [], options)],
  ])("is refused by %s", async (_, call) => {
    const agent = echoAgent({ store: new MemoryStore() });
    const error = await errorOf(() => call(agent, { tennant: "t" } as never));
    expect(error.message).toBe("Unknown option `tennant`. Did you mean `tenant`?");
  });

  it.each(STATE_OPTIONS)("%s belongs into the state, and the error says so", async (name) => {
    const error = await errorOf(() => echoAgent().runText("hi", { [name]: [] }));
    expect(error.message).toBe(`Unknown option \`${name}\`. Did you mean \`state.${name}\`?`);
  });

  it.each(["", 5, "wait"])("a busy policy %j is refused", async (onBusy) => {
    const agent = echoAgent({ store: new MemoryStore() });
    const error = await errorOf(() => agent.runText("hi", { onBusy: onBusy as never }));
    expect(error.message).toMatch(/^Unknown busy policy/);
  });
});

describe("an input with an unknown member", () => {
  it("is refused, so that no empty turn runs", async () => {
    const agent = echoAgent({ store: new MemoryStore() });
    const error = await errorOf(() => agent.run({ messages: [user("hi").message] } as never));
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: "Unknown input field `messages`. Did you mean `message`?",
    });
    expect((await agent.listSessions()).sessions).toEqual([]);
  });
});

describe("a finish reason", () => {
  it.each(["nonsense", "", null, 5])("%j fails the turn that returns it", async (reason) => {
    const agent = agentOf({ store: new MemoryStore() }, () => ({ finishReason: reason as never }));
    const { finishReason, error } = await agent.runText("hi", { sessionId: "s" });
    expect(finishReason).toBe("failed");
    expect(error?.message).toMatch(/^Unknown finish reason/);
    expect(await agent.getLatestSnapshot("s")).toMatchObject({ status: "failed" });
  });

  it("comes with the nearest one", async () => {
    const agent = agentOf({}, () => ({ finishReason: "stops" as never }));
    const { error } = await agent.runText("hi");
    expect(error).toMatchObject({
      status: "INVALID_ARGUMENT",
      message: "Unknown finish reason `stops`. Did you mean `stop`?",
    });
  });

  it("fails the run whose function returns an unknown one", async () => {
    const agent = defineCustomAgent(
      { name: "a", store: new MemoryStore() },
      async ({ session }) => {
        await session.run(() => {});
        return { finishReason: "nonsense" as never };
      },
    );
    const output = await agent.runText("hi");
    expect(output).toMatchObject({ finishReason: "failed", error: { status: "INVALID_ARGUMENT" } });
  });

  it.each([
    "stop",
    "length",
    "blocked",
    "interrupted",
    "other",
    "unknown",
    "aborted",
    "detached",
    "failed",
  ] as const)("%s is one of the protocol's", async (reason) => {
    const agent = agentOf({}, () => ({ finishReason: reason }));
    expect((await agent.runText("hi")).finishReason).toBe(reason);
  });
});

describe("what a function returns", () => {
  it.each<[object, string]>([
    [{ message: "hello" }, "message must be a plain object."],
    [{ message: { role: "robot", content: [] } }, "role must be one of system, user, model, tool."],
    [{ artifacts: [{ name: "a" }] }, "parts must be present."],
  ])("%j is refused when it is no result", async (result, message) => {
    const agent = defineCustomAgent({ name: "a" }, async ({ session }) => {
      await session.run(() => {});
      return result;
    });
    const output = await agent.runText("hi");
    expect(output.finishReason).toBe("failed");
    expect(output.error).toMatchObject({ status: "INVALID_ARGUMENT", message });
  });
});
