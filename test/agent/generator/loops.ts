import { type AgentOptions, defineGeneratorAgent, type LocalAgent, type Message } from "turnkeep";

/** A loop that keeps the history to itself and returns it, and answers with what it was shown. */
export function returningAgent(
  options: Partial<AgentOptions<never>> = {},
  answer: (messages: readonly Message[]) => Promise<Message> | Message = countMessages,
): LocalAgent<never> {
  return defineGeneratorAgent<never>(
    { name: "returning", ...options },
    async function* ({ inputStream, init }) {
      let messages: readonly Message[] = init.messages;
      for await (const input of inputStream) {
        const asked = [...messages, input];
        messages = [...asked, await answer(asked)];
      }
      return { messages };
    },
  );
}

function countMessages(messages: readonly Message[]): Message {
  return said(`answer ${messages.length}`);
}

export function said(text: string): Message {
  return { role: "model", content: [{ text }] };
}

/** A model's message that waits for a person to confirm a payment. */
export const ASKING: Message = {
  role: "model",
  content: [
    { toolRequest: { name: "pay", ref: "1", input: {} }, metadata: { interrupt: { sum: 5 } } },
  ],
};

export const PAID = { toolResponse: { name: "pay", ref: "1", output: "paid" } };
