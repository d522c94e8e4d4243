import type { MessageData } from "genkit";
import { genkit, type GenkitBeta, InMemorySessionStore } from "genkit/beta";
import type { Message } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";

/** Somebody who can take a turn at the end of a given talk. */
export interface PromptContender {
  /** Makes sessions ready for this many turns; called once. */
  readonly prepare: (turns: number) => Promise<void> | void;
  readonly turn: () => Promise<unknown>;
  readonly close: () => Promise<void> | void;
}

type OpenContender = (messages: MessageData[]) => Promise<PromptContender>;

const SYSTEM = "You say what you hear.";
const INPUT = "And what do you say to this?";

export const PROMPT_CONTENDERS: Readonly<Record<string, OpenContender>> = {
  turnkeep: openTurnkeep,
  genkit: openGenkit,
  "generate alone": openGenerate,
};

async function openTurnkeep(messages: MessageData[]): Promise<PromptContender> {
  const store = new MemoryStore();
  const agent = defineAgent(createGenkit(), {
    name: "bench",
    model: "echo",
    system: SYSTEM,
    store,
  });
  const { snapshotId = "" } = await agent.runText("seed", { sessionId: "seed" });
  const state = { messages: messages as unknown as Message[] };
  // A session that holds much goes on for a few turns: by the end of them it holds a twentieth more.
  const turnsEach = Math.max(1, Math.floor(messages.length / 50));
  let used = 0;
  return {
    prepare: async (turns) => {
      const sessions = messages.length > 0 ? Math.ceil(turns / turnsEach) : 0;
      for (let ready = 0; ready < sessions; ready += 1) {
        await agent.fork(snapshotId, { sessionId: `${ready}`, state });
        // Read once, like a session that somebody talks in.
        await agent.getLatestSnapshot(`${ready}`);
      }
    },
    turn: async () => {
      const sessionId = `${Math.floor(used++ / turnsEach)}`;
      const { finishReason } = await agent.runText(INPUT, { sessionId });
      if (finishReason !== "stop") throw new Error(`The turn ended as ${finishReason}.`);
    },
    close: async () => {
      await agent.close();
      await store.close();
    },
  };
}

async function openGenkit(messages: MessageData[]): Promise<PromptContender> {
  const store = new InMemorySessionStore();
  const agent = createGenkit().defineAgent({ name: "bench", model: "echo", system: SYSTEM, store });
  const snapshotId = await store.saveSnapshot(undefined, () => ({
    sessionId: "seed",
    createdAt: new Date().toISOString(),
    status: "completed",
    state: { sessionId: "seed", messages },
  }));
  const init = messages.length > 0 && snapshotId ? { snapshotId } : {};
  return {
    prepare: () => {},
    turn: async () => {
      const { result } = await agent.run({ message: heard() }, { init });
      if (result.finishReason !== "stop") throw new Error(`It ended as ${result.finishReason}.`);
    },
    close: () => {},
  };
}

async function openGenerate(messages: MessageData[]): Promise<PromptContender> {
  const ai = createGenkit();
  return {
    prepare: () => {},
    turn: async () =>
      await ai.generate({
        model: "echo",
        system: SYSTEM,
        messages: [...messages, heard()],
        onChunk: () => {},
      }),
    close: () => {},
  };
}

function heard(): MessageData {
  return { role: "user", content: [{ text: INPUT }] };
}

function createGenkit(): GenkitBeta {
  const ai = genkit({});
  ai.defineModel(
    { name: "echo", apiVersion: "v2", supports: { multiturn: true, systemRole: true } },
    async ({ messages }, { sendChunk }) => {
      const content = messages.at(-1)?.content ?? [];
      sendChunk({ content });
      return { message: { role: "model", content }, finishReason: "stop" };
    },
  );
  return ai;
}
