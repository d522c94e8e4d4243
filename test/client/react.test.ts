import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import type { ChatStorage, RemoteAgent } from "turnkeep/client";
import { useAgent } from "turnkeep/react";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, test } from "vitest";
import { textOf } from "../agent/agents.ts";
import { gateOf, sleep, until } from "../agent/life/waiting.ts";
import { chatAgent, type Counter, memoryStorage } from "./chat-agents.ts";
import { behindHttp } from "./remote.ts";
import { render } from "./rendering.ts";

interface ChatProps {
  readonly agent: RemoteAgent<Counter>;
  readonly storage: ChatStorage;
  readonly says: string;
}

// A chat with one button for each thing that can be done.
function Chat({ agent, storage, says }: ChatProps): ReactElement {
  const chat = useAgent(agent, { storage });
  const { messages, status, state, queued, interrupts, artifacts, error } = chat;
  const show = (id: string, text: unknown): ReactElement =>
    createElement("p", { id, key: id }, String(text));
  const button = (id: string, onClick: () => void): ReactElement =>
    createElement("button", { id, key: id, onClick });
  return createElement("div", null, [
    show("words", messages.map((message) => textOf(message).trim()).join("|")),
    show("status", status),
    show("count", state?.count ?? 0),
    show("queued", queued.length),
    show("interrupts", interrupts.length),
    show("artifacts", artifacts.length),
    show("error", error),
    button("send", () => chat.send(says)),
    button("stop", chat.stop),
    button("detach", chat.detach),
    button("rejoin", chat.rejoin),
    button("answer", () => interrupts.forEach(({ answer }) => answer("yes"))),
  ]);
}

async function open() {
  const gate = gateOf();
  const agent = await behindHttp(chatAgent(new MemoryStore(), gate));
  const storage = memoryStorage();
  const page = (says: string): ReactElement => createElement(Chat, { agent, storage, says });
  return { gate, agent, storage, page };
}

test("streams, in strict mode too, and sends once", async () => {
  const { gate, agent, page } = await open();
  const { text, click } = await render(page("one wait two"));
  await until(() => text("status") === "idle");
  click("send");
  await until(() => text("words") === "one wait two|ONE WAIT");
  expect([text("status"), text("count")]).toEqual(["streaming", "1"]);
  gate.open();
  await until(() => text("status") === "idle");
  expect(text("words")).toBe("one wait two|ONE WAIT TWO");
  expect(text("artifacts")).toBe("1");
  const { sessions } = await agent.listSessions();
  expect(sessions.map(({ messageCount }) => messageCount)).toEqual([2]);
});

test("stops", async () => {
  const { page } = await open();
  const { text, click } = await render(page("wait"));
  await until(() => text("status") === "idle");
  click("send");
  await until(() => text("words") === "wait|WAIT");
  click("stop");
  await until(() => text("status") === "idle");
  expect(text("error")).toBe("undefined");
});

test("queues while busy", async () => {
  const { gate, page } = await open();
  const { text, click } = await render(page("wait"));
  await until(() => text("status") === "idle");
  for (let time = 0; time < 3; time += 1) click("send");
  await until(() => text("queued") === "2");
  gate.open();
  await until(() => text("queued") === "0" && text("status") === "idle");
  expect(text("words")).toBe("wait|WAIT|wait|WAIT|wait|WAIT");
});

test("answers an interrupt", async () => {
  const { page } = await open();
  const { text, click } = await render(page("danger"));
  await until(() => text("status") === "idle");
  click("send");
  await until(() => text("interrupts") === "2");
  expect(text("status")).toBe("interrupted");
  click("answer");
  await until(() => text("status") === "idle");
  expect(text("words")).toBe("danger||SETTLED 2+0");
});

test("comes back when it is mounted anew, and shows each word once", async () => {
  const { gate, agent, page } = await open();
  const first = await render(page("one wait two"));
  await until(() => first.text("status") === "idle");
  first.click("send");
  await until(() => first.text("words") === "one wait two|ONE WAIT");
  first.unmount();
  const second = await render(page("more"));
  await until(() => second.text("words") === "one wait two|ONE WAIT");
  gate.open();
  await until(() => second.text("status") === "idle");
  expect(second.text("words")).toBe("one wait two|ONE WAIT TWO");
  second.click("send");
  await until(
    () => second.text("words").endsWith("|more|MORE") && second.text("status") === "idle",
  );
  expect((await agent.listSessions()).sessions.map(({ messageCount }) => messageCount)).toEqual([
    4,
  ]);
});

test("detaches and comes back", async () => {
  const { gate, page } = await open();
  const { text, click } = await render(page("one wait two"));
  await until(() => text("status") === "idle");
  click("send");
  await until(() => text("words") === "one wait two|ONE WAIT");
  click("detach");
  await until(() => text("status") === "detached");
  gate.open();
  await sleep(50);
  click("rejoin");
  await until(() => text("words") === "one wait two|ONE WAIT TWO");
});

test("renders on a server", async () => {
  const { page } = await open();
  expect(renderToString(page("hi"))).toContain("idle");
});
