import type { Artifact, Message } from "turnkeep";
import { describe, expect, it } from "vitest";
import { Session } from "../../../src/agent/session.ts";
import { textOf, textsOf } from "../agents.ts";
import { STORES } from "./stores.ts";
import { agentOf, chunksOf, errorOf, model } from "./turns.ts";

describe.each(STORES)("the session of a turn over %s", (_, openStore) => {
  it("reads, adds, sets and updates messages, and keeps them", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }) => {
      expect(session.messages().map(textOf)).toEqual(["hi"]);
      session.addMessages(model("a"), model("b"));
      session.setMessages([...session.messages(), model("c")]);
      session.updateMessages((messages) => messages.filter((message) => textOf(message) !== "b"));
      expect(session.messages().map(textOf)).toEqual(["hi", "a", "c"]);
    });
    const { snapshotId } = await agent.runText("hi");
    expect(textsOf((await agent.getSnapshot(snapshotId!)).state)).toEqual(["hi", "a", "c"]);
  });

  it("reads, sets and updates the custom state, and keeps it", async () => {
    const agent = agentOf<{ n: number; by?: string }>(
      { store: await openStore() },
      ({ session }) => {
        const start = session.custom();
        session.setCustom({ n: (start?.n ?? 0) + 1 });
        session.updateCustom((draft) => {
          draft.by = "draft";
        });
        session.updateCustom(({ n, by }) => ({ n: n + 1, ...(by !== undefined && { by }) }));
      },
    );
    await agent.runText("hi", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ n: 2, by: "draft" });
    await agent.runText("hi", { sessionId: "s" });
    expect((await agent.getLatestSnapshot("s")).state?.custom).toEqual({ n: 4, by: "draft" });
  });

  it("replaces artifacts by name, streams each, and appends those without a name", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session, respond }) => {
      respond.artifact({ name: "doc", parts: [{ text: "v1" }] });
      session.addArtifacts({ parts: [{ text: "x" }] }, { name: "doc", parts: [{ text: "v2" }] });
      session.addArtifacts({ parts: [{ text: "x" }] });
    });
    const chunks = await chunksOf(agent, "hi", { sessionId: "s" });
    expect(chunks.map(({ artifact }) => [artifact?.name, textIn(artifact)])).toEqual([
      ["doc", "v1"],
      [undefined, "x"],
      ["doc", "v2"],
      [undefined, "x"],
    ]);
    const { state } = await agent.getLatestSnapshot("s");
    expect(state?.artifacts?.map(textIn)).toEqual(["v2", "x", "x"]);
  });

  it("sets and updates artifacts", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }, _turn, text) => {
      if (text === "set") session.setArtifacts([named("a", "1"), named("b", "1")]);
      else session.updateArtifacts((artifacts) => artifacts.filter(({ name }) => name !== "a"));
    });
    await agent.runText("set", { sessionId: "s" });
    const output = await agent.runText("drop", { sessionId: "s" });
    expect(output.artifacts).toEqual([named("b", "1")]);
    expect((await agent.getLatestSnapshot("s")).state?.artifacts).toEqual([named("b", "1")]);
  });

  it("keeps the prompt input", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }) => {
      if (session.promptInput() === undefined) session.setPromptInput({ role: "helper" });
      expect(session.promptInput()).toEqual({ role: "helper" });
    });
    await agent.runText("a", { sessionId: "s" });
    const output = await agent.runText("b", { sessionId: "s" });
    expect(output.error).toBeUndefined();
    expect((await agent.getLatestSnapshot("s")).state?.promptInput).toEqual({ role: "helper" });
  });

  it("answers with the last message and all artifacts by result()", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }) => {
      session.addArtifacts(named("a", "1"));
      session.addMessages(model("first"), model("last"));
      return { finishReason: "length" };
    });
    const output = await agent.runText("hi");
    expect(output).toMatchObject({ finishReason: "length", artifacts: [named("a", "1")] });
    expect(textOf(output.message)).toBe("last");
  });

  it("keeps instances of classes that have toJSON as plain JSON", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }) => {
      session.addMessages(new Answer("hello"));
    });
    const output = await agent.runText("hi");
    expect(output.error).toBeUndefined();
    const { state } = await agent.getSnapshot(output.snapshotId!);
    const kept = state?.messages?.at(-1);
    expect(kept).toEqual({ role: "model", content: [{ text: "hello" }] });
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });

  it("gives out nothing in its outputs that leads back into what is kept", async () => {
    const agent = agentOf({ store: await openStore() }, ({ session }) => {
      session.setCustom({ list: [1] });
      session.addArtifacts(named("a", "1"));
      session.addMessages(model("answer"));
    });
    const output = await agent.runText("hi", { sessionId: "s" });
    const before = JSON.stringify(await agent.getLatestSnapshot("s"));
    tamper(output);
    tamper(await agent.getLatestSnapshot("s"));
    expect(JSON.stringify(await agent.getLatestSnapshot("s"))).toBe(before);
  });
});

describe("a session", () => {
  it("is not changed through anything it gives out", () => {
    const session = filled();
    const before = JSON.stringify(session.state());
    for (const given of [
      session.messages(),
      session.artifacts(),
      session.custom(),
      session.promptInput(),
      session.state(),
      session.content,
    ]) {
      tamper(given);
    }
    session.updateMessages((messages) => {
      tamper(messages);
      return messages;
    });
    session.updateArtifacts((artifacts) => {
      tamper(artifacts);
      return artifacts;
    });
    expect(JSON.stringify(session.state())).toBe(before);
  });

  it("is not changed through anything it was given", () => {
    const session = new Session("s");
    const message = { role: "model" as const, content: [{ text: "a" }] };
    const messages = [message];
    const artifact = { name: "a", parts: [{ text: "1" }] };
    const artifacts = [artifact];
    const custom = { list: [{ n: 1 }] };
    const promptInput = { role: "helper" };
    session.setMessages(messages);
    session.addMessages(message);
    session.setArtifacts(artifacts);
    session.addArtifacts(artifact);
    session.setCustom(custom);
    session.setPromptInput(promptInput);
    const before = JSON.stringify(session.state());
    message.content[0]!.text = "changed";
    messages.pop();
    artifact.parts.push({ text: "2" });
    artifacts.pop();
    custom.list[0]!.n = 2;
    promptInput.role = "changed";
    expect(JSON.stringify(session.state())).toBe(before);
  });

  it("is not changed through a returned update or a draft that somebody holds on to", () => {
    const session = new Session<{ n: number[] }>("s");
    const returned = { n: [1] };
    session.updateCustom(() => returned);
    expect(() => returned.n.push(2)).toThrow(TypeError);
    let held: { n: number[] } | undefined;
    session.updateCustom((draft) => {
      draft.n.push(2);
      held = draft;
    });
    expect(() => held!.n.push(3)).toThrow(TypeError);
    expect(session.custom()).toEqual({ n: [1, 2] });
  });

  it("shares what did not change between one state and the next", () => {
    const session = filled();
    const [first] = session.messages();
    const custom = session.custom();
    session.addMessages(model("more"));
    expect(session.messages()[0]).toBe(first);
    expect(session.custom()).toBe(custom);
  });

  it("stays the very same content when an update changes nothing", () => {
    const session = filled();
    const before = session.content;
    session.addMessages();
    session.setMessages(session.messages());
    session.updateMessages((messages) => [...messages]);
    session.updateArtifacts((artifacts) => artifacts);
    session.setCustom({ list: [{ n: 1 }] });
    session.updateCustom(() => {});
    expect(session.content).toBe(before);
  });

  const CIRCULAR: { self?: unknown } = {};
  CIRCULAR.self = CIRCULAR;

  it.each<[string, (session: Session) => void]>([
    ["no message", (session) => session.addMessages(undefined as never)],
    ["text as a message", (session) => session.addMessages("hi" as never)],
    ["a message without content", (session) => session.addMessages({ role: "model" } as never)],
    ["a role of its own", (session) => session.addMessages({ ...model("x"), role: "me" } as never)],
    ["a message that holds itself", (session) => session.addMessages(CIRCULAR as never)],
    ["one bad message among good ones", (session) => session.addMessages(model("x"), 1 as never)],
    ["no list of messages", (session) => session.setMessages("hi" as never)],
    ["an update that forgets to return", (session) => session.updateMessages(() => ({}) as never)],
    ["no artifact", (session) => session.addArtifacts(null as never)],
    ["an artifact without parts", (session) => session.addArtifacts({ name: "a" } as never)],
    ["no list of artifacts", (session) => session.setArtifacts({} as never)],
    ["a function as state", (session) => session.setCustom((() => 1) as never)],
    ["not a number as state", (session) => session.setCustom(Number.NaN)],
    ["a bigint in the state", (session) => session.setCustom({ n: 1n } as never)],
    ["a state that holds itself", (session) => session.setCustom(CIRCULAR as never)],
    ["no function to update with", (session) => session.updateCustom({} as never)],
    ["a function as prompt input", (session) => session.setPromptInput((() => 1) as never)],
  ])("refuses %s and changes nothing", async (_, change) => {
    const session = filled();
    const before = session.content;
    expect((await errorOf(() => change(session))).status).toBe("INVALID_ARGUMENT");
    expect(session.content).toBe(before);
  });

  it("forgets the custom state when it is set to nothing", () => {
    const session = filled();
    session.setCustom(undefined as never);
    expect(session.custom()).toBeUndefined();
    expect(session.state()).not.toHaveProperty("custom");
  });
});

class Answer implements Message {
  readonly role = "model";
  readonly content: Message["content"];
  readonly parse = (): string => this.text;

  constructor(text: string) {
    this.content = [{ text }];
  }

  get text(): string {
    return textOf(this);
  }

  toJSON(): Message {
    return { role: this.role, content: this.content };
  }
}

function filled(): Session {
  const session = new Session("s");
  session.addMessages(model("a"), model("b"));
  session.setCustom({ list: [{ n: 1 }] });
  session.addArtifacts(named("a", "1"));
  session.setPromptInput({ role: "helper" });
  return session;
}

function named(name: string, text: string): Artifact {
  return { name, parts: [{ text }] };
}

function textIn(artifact: Artifact | undefined): string {
  return (artifact?.parts ?? []).map(({ text = "" }) => text).join("");
}

// Tries to change everything it can reach.
function tamper(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) tamper(member);
  Reflect.set(value, "tampered", true);
  if (Array.isArray(value)) Reflect.apply(attemptPush, value, []);
  for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}

function attemptPush(this: unknown[]): void {
  try {
    this.push("tampered");
  } catch {
    // Frozen, as it should be.
  }
}
