import type { Message } from "turnkeep";
import { ChatController, type ChatState } from "turnkeep/client";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { until, untilAborted } from "../agent/life/waiting.ts";
import { bureau, SIGN } from "../genkit/interrupts/bureau.ts";
import { responsesIn, type ToolWork } from "../genkit/tools/workshop.ts";
import { memoryStorage, shownTexts } from "./chat-agents.ts";
import { behindHttp } from "./remote.ts";

const PLACES = [
  ["in this process", false],
  ["behind HTTP", true],
] as const;

describe.each(PLACES)("a chat with an agent %s that asks before it signs", (_place, isRemote) => {
  async function open(tools: Readonly<Record<string, ToolWork>> = {}) {
    const made = bureau(new MemoryStore(), tools);
    const agent = isRemote ? await behindHttp(made.agent) : made.agent;
    const storage = memoryStorage();
    const load = (): ChatController => {
      const chat = new ChatController(agent, { storage });
      onTestFinished(() => chat.leave());
      chat.start();
      return chat;
    };
    const chat = load();
    const snapshots = () => made.agent.listSnapshots(chat.getState().sessionId ?? "");
    return { ...made, chat, load, snapshots };
  }

  test("keeps a message back while an approval waits, and sends it after the answer", async () => {
    const { chat, load, model, snapshots, done } = await open();
    model.asksFor(SIGN).says("Signed.").says("Hello.");
    chat.send("sign it");
    await becomes(chat, "interrupted");
    chat.send("forget it");
    const kept = chat.getState();
    expect([kept.status, kept.interrupts.length]).toEqual(["interrupted", 1]);
    expect(shownTexts({ messages: kept.queued })).toEqual(["forget it"]);
    expect(await snapshots()).toHaveLength(1);
    const reloaded = load();
    await becomes(reloaded, "interrupted");
    expect(reloaded.getState().interrupts).toMatchObject([{ tool: "sign", ref: "s1" }]);
    reloaded.leave();
    kept.interrupts[0]?.approve({ by: "Ann" });
    await until(() => chat.getState().messages.length === 6 && isIdle(chat));
    expect(shownTexts(chat.getState()).slice(3)).toEqual(["Signed.", "forget it", "Hello."]);
    expect(done).toEqual([["sign", { by: "Ann" }]]);
  });

  test("shows an approval although a message after it was refused", async () => {
    const { chat, load, model, agent, snapshots, done } = await open();
    model.asksFor(SIGN).says("Signed.");
    chat.send("sign it");
    await becomes(chat, "interrupted");
    const { sessionId = "" } = chat.getState();
    const refused = await agent.runText("forget it", { sessionId });
    expect(refused.error?.status).toBe("FAILED_PRECONDITION");
    expect(await snapshots()).toHaveLength(1);
    const reloaded = load();
    await becomes(reloaded, "interrupted");
    expect(shownTexts(reloaded.getState())).toEqual(["sign it", ""]);
    reloaded.getState().interrupts[0]?.approve();
    await becomes(reloaded, "idle");
    expect(done).toEqual([["sign", true]]);
  });

  test("shows an approval again when its answer failed, and says why", async () => {
    const { chat, load, model } = await open({
      stamp: (_, { resumed, interrupt }) => {
        if (!resumed) interrupt();
        throw new Error("No ink.");
      },
    });
    model.asksFor({ name: "stamp", ref: "1" });
    chat.send("stamp it");
    await becomes(chat, "interrupted");
    chat.getState().interrupts[0]?.approve();
    expect(chat.getState().interrupts).toEqual([]);
    await until(() => chat.getState().error !== undefined);
    expect(chat.getState()).toMatchObject({ status: "interrupted", interrupts: [{ ref: "1" }] });
    const reloaded = load();
    await becomes(reloaded, "interrupted");
    expect(reloaded.getState().interrupts).toMatchObject([{ ref: "1" }]);
    expect(reloaded.getState().error).toMatchObject({ status: "INTERNAL" });
  });

  test("shows an approval again when its answer was stopped", async () => {
    let isStarted = false;
    const { chat, model } = await open({
      stamp: async (_, { resumed, interrupt, ...options }) => {
        if (!resumed) interrupt();
        isStarted = true;
        await untilAborted((options as { readonly abortSignal: AbortSignal }).abortSignal);
      },
    });
    model.asksFor({ name: "stamp", ref: "1" });
    chat.send("stamp it");
    await becomes(chat, "interrupted");
    chat.getState().interrupts[0]?.approve();
    await until(() => isStarted);
    chat.stop();
    await becomes(chat, "interrupted");
    expect(chat.getState().interrupts).toMatchObject([{ ref: "1" }]);
  });

  test("drops what waits, runs no tool, and goes on with what was sent meanwhile", async () => {
    const { chat, model, done } = await open();
    model
      .asksFor(SIGN, { ...SIGN, ref: "s2" })
      .says("All right.")
      .says("Sunny.");
    chat.send("sign them");
    await becomes(chat, "interrupted");
    chat.send("How is the weather?");
    chat.denyAll("Never mind.");
    await until(() => shownTexts(chat.getState()).at(-1) === "Sunny." && isIdle(chat));
    expect(done).toEqual([]);
    expect(responsesIn(chat.getState().messages[2])).toEqual([
      ["sign", "s1", { denied: true, reason: "Never mind." }],
      ["sign", "s2", { denied: true, reason: "Never mind." }],
    ]);
    expect(chat.getState().queued).toEqual([]);
  });

  test("approves, denies and answers: only what is approved runs", async () => {
    const { chat, model, done } = await open();
    model.asksFor(SIGN, { ...SIGN, ref: "s2" }, { ...SIGN, ref: "s3" }).says("Done.");
    chat.send("sign them");
    await becomes(chat, "interrupted");
    const [first, second, third] = chat.getState().interrupts;
    first?.approve();
    second?.deny("Wrong paper.");
    expect(chat.getState().status).toBe("interrupted");
    third?.answer("signed by hand");
    await becomes(chat, "idle");
    expect(done).toEqual([["sign", true]]);
    expect(responsesIn(chat.getState().messages[2])).toEqual([
      ["sign", "s1", { signed: SIGN.input }],
      ["sign", "s2", { denied: true, reason: "Wrong paper." }],
      ["sign", "s3", "signed by hand"],
    ]);
  });

  test("shows at the end of a turn what a reload shows, although the model streamed no request", async () => {
    const { chat, load, model } = await open();
    const seen: ChatState<unknown>[] = [];
    chat.subscribe(() => seen.push(chat.getState()));
    model.asksFor({ name: "note", ref: "n" }).says("Noted.").asksFor(SIGN);
    for (const [text, status] of [
      ["note it", "idle"],
      ["sign it", "interrupted"],
    ] as const) {
      chat.send(text);
      await becomes(chat, status);
      const reloaded = load();
      await until(() => reloaded.getState().messages.length > 0);
      expect(chat.getState().messages).toEqual(reloaded.getState().messages);
      expect(chat.getState().status).toBe(status);
      reloaded.leave();
    }
    expect(chat.getState().messages.map(outlineOf)).toEqual([
      ["user", "text"],
      ["model", "toolRequest"],
      ["tool", "toolResponse"],
      ["model", "text"],
      ["user", "text"],
      ["model", "toolRequest"],
    ]);
    const shown = seen.flatMap(({ messages }) => messages.map(outlineOf));
    expect(shown).not.toContainEqual(["tool", "toolRequest"]);
  });
});

function isIdle(chat: ChatController): boolean {
  return chat.getState().status === "idle";
}

async function becomes(chat: ChatController, status: string): Promise<void> {
  await until(() => chat.getState().status === status && chat.getState().messages.length > 0);
}

function outlineOf({ role, content }: Message): readonly string[] {
  return [
    role,
    ...content.flatMap((part) => Object.keys(part).filter((key) => key !== "metadata")),
  ];
}
