import {
  defineCustomAgent,
  type LocalAgent,
  type Responder,
  type RunSession,
  type SessionStore,
  type TurnResult,
  TurnkeepError,
} from "turnkeep";
import type { ChatState, ChatStorage } from "turnkeep/client";
import { textOf } from "../agent/agents.ts";
import { type Gate, untilAborted } from "../agent/life/waiting.ts";

export interface Counter {
  count: number;
}

/** Says the words of a message one by one, stands still at "wait" until the gate opens, and asks before it does "danger". */
export function chatAgent(store: SessionStore | undefined, gate?: Gate): LocalAgent<Counter> {
  const options = { name: "chat", ...(store && { store }) };
  return defineCustomAgent<Counter>(options, async ({ session, respond }) => {
    await session.run(async (input, { signal }) => {
      const text = textOf(input.message);
      const { respond: answers = [], restart: restarts = [] } = input.resume ?? {};
      session.setCustom({ count: (session.custom()?.count ?? 0) + 1 });
      if (text === "danger") return askFirst(session, respond);
      if (text === "fail") throw new TurnkeepError("PERMISSION_DENIED", "no");
      const words = input.resume
        ? [`settled ${answers.length}+${restarts.length}`]
        : text.split(" ");
      for (const word of words) {
        respond.text(`${word.toUpperCase()} `);
        if (word === "wait") await Promise.race([gate?.promise, untilAborted(signal)]);
      }
      respond.artifact({ name: "last.txt", parts: [{ text }] });
      session.addMessages({ role: "model", content: [{ text: words.join(" ").toUpperCase() }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

function askFirst(session: RunSession<Counter>, respond: Responder): TurnResult {
  const content = ["first", "second"].map((ref) => ({
    toolRequest: { name: "act", ref, input: { to: ref } },
    metadata: { interrupt: true },
  }));
  respond.modelChunk({ content });
  session.addMessages({ role: "model", content });
  return { finishReason: "interrupted" };
}

export function memoryStorage(): ChatStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
  };
}

export function shownTexts({ messages }: Pick<ChatState<never>, "messages">): readonly string[] {
  return messages.map((message) => textOf(message).trim());
}
