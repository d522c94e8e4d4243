import { MemoryStore } from "turnkeep/stores/memory";
import {
  ChatController,
  type ChatOptions,
  type ChatState,
  type RemoteAgent,
} from "turnkeep/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { textsOf } from "../agent/agents.ts";
import { gateOf, sleep, until } from "../agent/life/waiting.ts";
import { type Counter, chatAgent, memoryStorage, shownTexts } from "./chat-agents.ts";
import { behindHttp } from "./remote.ts";

const PLACES = [
  ["in this process", false],
  ["behind HTTP", true],
] as const;

describe.each(PLACES)("a chat with an agent %s", (_place, isRemote) => {
  async function open(options: ChatOptions = {}, gate = gateOf(), store = new MemoryStore()) {
    const local = chatAgent(store, gate);
    const agent = (isRemote ? await behindHttp(local) : local) as RemoteAgent<Counter>;
    const storage = options.storage ?? memoryStorage();
    const create = (): ChatController<Counter> => {
      const made = new ChatController<Counter>(agent, { storage, ...options });
      onTestFinished(() => made.leave());
      return made;
    };
    const chat = create();
    chat.start();
    return { chat, agent, local, gate, create, storage };
  }

  const ended = (chat: ChatController<Counter>): Promise<void> =>
    until(() => !["sending", "streaming"].includes(chat.getState().status) && idle(chat));
  const idle = (chat: ChatController<Counter>): boolean => chat.getState().messages.length > 0;
  const streaming = (chat: ChatController<Counter>, text: string): Promise<void> =>
    until(() => shownTexts(chat.getState()).at(-1) === text);

  test("shows what is said as it is said", async () => {
    const { chat, gate } = await open();
    const seen: ChatState<Counter>[] = [];
    const stop = chat.subscribe(() => seen.push(chat.getState()));
    chat.send("hi wait there");
    expect(shownTexts(chat.getState())).toEqual(["hi wait there"]);
    expect(chat.getState().status).toBe("sending");
    await streaming(chat, "HI WAIT");
    expect(chat.getState().status).toBe("streaming");
    expect(chat.getState().state).toEqual({ count: 1 });
    gate.open();
    await ended(chat);
    expect(chat.getState().status).toBe("idle");
    expect(shownTexts(chat.getState())).toEqual(["hi wait there", "HI WAIT THERE"]);
    expect(chat.getState().artifacts).toEqual([
      { name: "last.txt", parts: [{ text: "hi wait there" }] },
    ]);
    // Never goes back on what it showed.
    const lengths = seen.map((state) => shownTexts(state).join("").length);
    expect(lengths).toEqual(lengths.toSorted((left, right) => left - right));
    stop();
    chat.send("again");
    await until(
      () => shownTexts(chat.getState()).length === 4 && chat.getState().status === "idle",
    );
    expect(chat.getState().state).toEqual({ count: 2 });
    expect(seen.at(-1)?.state).toEqual({ count: 1 });
  });

  test("sends what was sent meanwhile, one after the other", async () => {
    const { chat, gate, agent } = await open();
    chat.send("wait");
    chat.send("two");
    chat.send({ role: "user", content: [{ text: "three" }] });
    await streaming(chat, "WAIT");
    expect(shownTexts({ messages: chat.getState().queued })).toEqual(["two", "three"]);
    gate.open();
    await until(() => chat.getState().queued.length === 0 && chat.getState().status === "idle");
    expect(shownTexts(chat.getState())).toEqual(["wait", "WAIT", "two", "TWO", "three", "THREE"]);
    const { state } = await agent.getLatestSnapshot(chat.getState().sessionId!);
    expect(textsOf(state as never)).toEqual(["wait", "WAIT", "two", "TWO", "three", "THREE"]);
  });

  test("stops, and keeps what waits until something is sent", async () => {
    const { chat, agent } = await open();
    chat.send("wait");
    chat.send("later");
    await streaming(chat, "WAIT");
    chat.stop();
    await ended(chat);
    expect([chat.getState().status, chat.getState().error]).toEqual(["idle", undefined]);
    expect(chat.getState().queued).toHaveLength(1);
    const [snapshot] = await agent.listSnapshots(chat.getState().sessionId!);
    expect(snapshot?.status).toBe("aborted");
    chat.send("now");
    await until(
      () => shownTexts(chat.getState()).at(-1) === "NOW" && chat.getState().status === "idle",
    );
    expect(shownTexts(chat.getState()).slice(-4)).toEqual(["later", "LATER", "now", "NOW"]);
    chat.stop();
    expect(chat.getState().status).toBe("idle");
  });

  test("shows interrupts and sends their answers together", async () => {
    const { chat, agent } = await open();
    chat.send("danger");
    await until(() => chat.getState().status === "interrupted");
    const [first, second] = chat.getState().interrupts;
    expect(first).toMatchObject({ tool: "act", ref: "first", input: { to: "first" } });
    first?.answer({ ok: true });
    first?.answer({ ok: false });
    await sleep(10);
    expect(chat.getState().status).toBe("interrupted");
    second?.approve({ by: "Ann" });
    await until(() => chat.getState().status === "idle");
    expect(chat.getState().interrupts).toEqual([]);
    expect(shownTexts(chat.getState()).at(-1)).toBe("SETTLED 1+1");
    expect((await agent.listSnapshots(chat.getState().sessionId!)).length).toBe(2);
  });

  test("shows interrupts again after a reload", async () => {
    const { chat, create } = await open();
    chat.send("danger");
    await until(() => chat.getState().status === "interrupted");
    const reloaded = create();
    reloaded.start();
    await until(() => reloaded.getState().status === "interrupted");
    for (const { answer } of reloaded.getState().interrupts) answer("yes");
    await until(() => reloaded.getState().status === "idle");
    expect(shownTexts(reloaded.getState()).at(-1)).toBe("SETTLED 2+0");
  });

  test("says what failed, and can go on", async () => {
    const { chat } = await open();
    chat.send("fail");
    await until(() => chat.getState().status === "failed");
    expect(chat.getState().error).toMatchObject({ status: "PERMISSION_DENIED", message: "no" });
    chat.send("fine");
    await until(() => chat.getState().status === "idle");
    expect(chat.getState().error).toBeUndefined();
    expect(shownTexts(chat.getState())).toEqual(["fail", "fine", "FINE"]);
  });

  test("comes back to a turn under way after a reload, and shows each word once", async () => {
    const { chat, create, gate } = await open();
    chat.send("before");
    await until(() => chat.getState().status === "idle");
    chat.send("one wait two");
    await streaming(chat, "ONE WAIT");
    // As a page does that is closed: nothing is said any more.
    chat.leave();
    const reloaded = create();
    const seen: (readonly string[])[] = [];
    reloaded.subscribe(() => seen.push(shownTexts(reloaded.getState())));
    reloaded.start();
    await streaming(reloaded, "ONE WAIT");
    expect(shownTexts(reloaded.getState())).toEqual([
      "before",
      "BEFORE",
      "one wait two",
      "ONE WAIT",
    ]);
    gate.open();
    await until(() => reloaded.getState().status === "idle");
    expect(shownTexts(reloaded.getState())).toEqual([
      "before",
      "BEFORE",
      "one wait two",
      "ONE WAIT TWO",
    ]);
    for (const texts of seen) {
      expect(texts.filter((text) => text === "one wait two").length).toBeLessThan(2);
      expect(texts.length).toBeLessThan(5);
    }
    expect(reloaded.getState().state).toEqual({ count: 2 });
  });

  test("stops a turn that it came back to", async () => {
    const { chat, create } = await open();
    chat.send("wait");
    await streaming(chat, "WAIT");
    chat.leave();
    const reloaded = create();
    reloaded.start();
    await streaming(reloaded, "WAIT");
    reloaded.stop();
    await until(() => reloaded.getState().status === "idle");
    expect(shownTexts(reloaded.getState())).toEqual(["wait", "WAIT"]);
  });

  test("shows a turn that ended while nobody looked, once", async () => {
    const { chat, create, gate, agent } = await open();
    chat.send("one wait two");
    await streaming(chat, "ONE WAIT");
    chat.leave();
    gate.open();
    const { sessionId = "" } = chat.getState();
    await until(async () => (await agent.getLatestSnapshot(sessionId)).status === "completed");
    const reloaded = create();
    const seen: (readonly string[])[] = [];
    reloaded.subscribe(() => seen.push(shownTexts(reloaded.getState())));
    reloaded.start();
    await until(() => reloaded.getState().messages.length === 2);
    await sleep(50);
    expect(shownTexts(reloaded.getState())).toEqual(["one wait two", "ONE WAIT TWO"]);
    for (const texts of seen) expect(texts.length).toBeLessThan(3);
  });

  test("sends a message again that may not have arrived, without doing it twice", async () => {
    const { chat, create, storage, agent } = await open();
    chat.send("hi");
    await until(() => chat.getState().status === "idle");
    const { sessionId = "" } = chat.getState();
    const input = { message: { role: "user", content: [{ text: "ho" }] } };
    const head = (await agent.getLatestSnapshot(sessionId)).snapshotId;
    const turn = { input, requestId: "0123456789abcdef", parentId: head };
    storage.setItem("turnkeep:chat", JSON.stringify({ sessionId, turn }));
    if (!isRemote) return;
    const [one, two] = [create(), create()];
    one.start();
    two.start();
    await until(() =>
      [one, two].every(
        (each) => each.getState().messages.length === 4 && each.getState().status === "idle",
      ),
    );
    expect(shownTexts((await agent.getLatestSnapshot(sessionId)).state as never)).toEqual([
      "hi",
      "HI",
      "ho",
      "HO",
    ]);
    expect(shownTexts(one.getState())).toEqual(["hi", "HI", "ho", "HO"]);
    expect(shownTexts(two.getState())).toEqual(["hi", "HI", "ho", "HO"]);
  });

  test("waits for somebody else's turn, and shows it", async () => {
    const { gate, agent, create } = await open();
    await agent.runText("mine", { sessionId: "shared" });
    const other = agent.streamText("wait there", { sessionId: "shared" });
    for await (const { modelChunk } of other.chunks) if (modelChunk) break;
    const chat = create();
    const shared = new ChatController<Counter>(agent, {
      sessionId: "shared",
      storage: memoryStorage(),
    });
    onTestFinished(() => shared.leave());
    shared.start();
    await until(() => shared.getState().status === "streaming");
    expect(shownTexts(shared.getState())).toEqual(["mine", "MINE"]);
    gate.open();
    await until(() => shared.getState().status === "idle");
    expect(shownTexts(shared.getState())).toEqual(["mine", "MINE", "wait there", "WAIT THERE"]);
    expect(chat.getState().messages).toEqual([]);
  });

  test("detaches, and comes back", async () => {
    const { chat, gate } = await open();
    chat.send("one wait two");
    await streaming(chat, "ONE WAIT");
    chat.detach();
    expect(chat.getState().status).toBe("detached");
    gate.open();
    await sleep(50);
    expect(chat.getState().status).toBe("detached");
    chat.start();
    await until(() => chat.getState().status === "idle" && chat.getState().messages.length === 2);
    expect(shownTexts(chat.getState())).toEqual(["one wait two", "ONE WAIT TWO"]);
  });

  test("starting twice, as strict pages do, sends and shows nothing twice", async () => {
    const { chat, agent } = await open();
    chat.leave();
    chat.start();
    chat.start();
    chat.send("hi");
    await until(() => chat.getState().status === "idle" && chat.getState().messages.length === 2);
    expect((await agent.listSnapshots(chat.getState().sessionId!)).length).toBe(1);
  });

  test("a storage that is broken or says nonsense is one that holds nothing", async () => {
    for (const text of ["{", "5", `{"sessionId":5}`, "null", "[]"]) {
      const { chat } = await open({
        storage: {
          getItem: () => text,
          setItem: () => {
            throw new Error("full");
          },
        },
      });
      chat.send("hi");
      await until(() => chat.getState().status === "idle" && chat.getState().messages.length === 2);
    }
  });
});

test("a chat with an agent without a store carries the state", async () => {
  const local = chatAgent(undefined);
  for (const agent of [local, await behindHttp(local, { stateManagement: "client" })]) {
    const chat = new ChatController<Counter>(agent, {
      storage: memoryStorage(),
    });
    chat.start();
    for (const text of ["one", "two"]) {
      chat.send(text);
      await until(
        () =>
          shownTexts(chat.getState()).at(-1) === text.toUpperCase() &&
          chat.getState().status === "idle",
      );
    }
    expect(shownTexts(chat.getState())).toEqual(["one", "ONE", "two", "TWO"]);
    expect(chat.getState().state).toEqual({ count: 2 });
  }
});
