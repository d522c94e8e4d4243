import { generateMiddleware, type GenerateResponse, type MessageData } from "genkit";
import {
  genkit,
  type GenkitBeta,
  InMemorySessionStore,
  Session as GenkitSession,
} from "genkit/beta";
import { defineCustomAgent, type LocalAgent, type Message } from "turnkeep";
import { defineAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";

/** Somebody who can take a turn at the end of a given talk. */
export interface PromptCaller {
  /** Takes the turn in that session; the talk in it grows by the turn, for those who keep sessions. */
  readonly turn: (session: number) => Promise<unknown>;
  /** Begins a session with the talk; called before its first turn, if there is a talk. */
  readonly seed: (session: number) => Promise<unknown> | void;
}

type Open = (talk: MessageData[]) => Promise<PromptCaller> | PromptCaller;

const SYSTEM = "You say what you hear.";
const INPUT = "And what do you say to this?";
const TURNS_BESIDE = 500;

/** Ways to have a turn of a prompt, and the parts that ours is made of, by the names of their subjects. */
export const PROMPT_CALLERS: Readonly<Record<string, Open>> = {
  turnkeep: (talk) => openTurnkeep(definePromptAgent(), talk),
  "turnkeep without generate": openTurnAlone,
  "genkit run": openGenkitRun,
  "genkit run anew": openGenkitRunAnew,
  "genkit chat": openGenkitChat,
  "genkit generate alone": openGenerate,
  "genkit generate as ours calls it": openGenerateAsCalled,
};

function definePromptAgent(): LocalAgent {
  const store = new MemoryStore();
  return defineAgent(createGenkit(), { name: "bench", model: "echo", system: SYSTEM, store });
}

async function openTurnkeep(agent: LocalAgent, talk: MessageData[]): Promise<PromptCaller> {
  const { snapshotId = "" } = await agent.runText("seed", { sessionId: "seed" });
  const state = { messages: talk as unknown as Message[] };
  return {
    seed: async (session) => {
      await agent.fork(snapshotId, { sessionId: `${session}`, state });
      // Read once, like a session that somebody talks in.
      await agent.getLatestSnapshot(`${session}`);
    },
    turn: async (session) => {
      const { finishReason } = await agent.runText(INPUT, { sessionId: `${session}` });
      if (finishReason !== "stop") throw new Error(`The turn ended as ${finishReason}.`);
    },
  };
}

// What keeping a turn costs where Genkit is at work as well: with its tracing, and with all that it makes Node follow through promises.
async function openTurnAlone(talk: MessageData[]): Promise<PromptCaller> {
  const beside = await openTurnkeep(definePromptAgent(), []);
  for (let session = 0; session < TURNS_BESIDE; session += 1) await beside.turn(session);
  const agent = defineCustomAgent(
    { name: "bench", store: new MemoryStore() },
    async ({ session, respond }) => {
      await session.run(() => {
        respond.modelChunk({ content: heard().content as never });
        session.addMessages({ role: "model", content: heard().content as never });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
  return await openTurnkeep(agent, talk);
}

// In a session that is known by its id, as ours is called.
function openGenkitRun(talk: MessageData[]): PromptCaller {
  const { agent, save } = defineGenkitAgent(talk);
  return {
    seed: (session) => save(`${session}`),
    turn: (session) => runIn(agent, { sessionId: `${session}` }),
  };
}

// The least that Genkit's agent can be asked with: it looks for no session, but begins one of a new id or goes on at a snapshot.
async function openGenkitRunAnew(talk: MessageData[]): Promise<PromptCaller> {
  const { agent, save } = defineGenkitAgent(talk);
  const snapshotId = await save("seed");
  const init = talk.length > 0 && snapshotId ? { snapshotId } : {};
  return {
    seed: () => {},
    turn: () => runIn(agent, init),
  };
}

async function runIn(
  agent: GenkitAgent["agent"],
  init: { readonly sessionId?: string; readonly snapshotId?: string },
): Promise<void> {
  const { result } = await agent.run({ message: heard() }, { init });
  if (result.finishReason !== "stop") throw new Error(`It ended as ${result.finishReason}.`);
}

// As its documents do.
function openGenkitChat(talk: MessageData[]): PromptCaller {
  const { agent, save } = defineGenkitAgent(talk);
  return {
    seed: (session) => save(`${session}`),
    turn: async (session) => {
      const { finishReason } = await agent.chat({ sessionId: `${session}` }).send(INPUT);
      if (finishReason !== "stop") throw new Error(`It ended as ${finishReason}.`);
    },
  };
}

interface GenkitAgent {
  readonly agent: ReturnType<GenkitBeta["defineAgent"]>;
  /** Keeps the talk as a session; answers with its snapshot's id. */
  readonly save: (sessionId: string) => Promise<string | null | undefined>;
}

function defineGenkitAgent(messages: MessageData[]): GenkitAgent {
  const store = new InMemorySessionStore();
  const agent = createGenkit().defineAgent({ name: "bench", model: "echo", system: SYSTEM, store });
  const save: GenkitAgent["save"] = (sessionId) =>
    store.saveSnapshot(undefined, () => ({
      sessionId,
      createdAt: new Date().toISOString(),
      status: "completed",
      state: { sessionId, messages },
    }));
  return { agent, save };
}

function openGenerate(talk: MessageData[]): PromptCaller {
  const ai = createGenkit();
  return callerOf(talk, (messages) =>
    ai.generate({ model: "echo", system: SYSTEM, messages, onChunk: () => {} }),
  );
}

// In a session, so that tools find it; with a signal; and inside of a middleware that stops rounds, keeps them and runs tools.
function openGenerateAsCalled(talk: MessageData[]): PromptCaller {
  const ai = createGenkit();
  const middleware = generateMiddleware({ name: "nothing" }, () => ({
    generate: (envelope, options, next) => next(envelope, options),
    model: (request, options, next) => next(request, options),
    tool: (request, options, next) => next(request, options),
  }));
  return callerOf(talk, (messages, session) =>
    new GenkitSession({ sessionId: `${session}` }).run(() =>
      ai.generate({
        model: "echo",
        system: SYSTEM,
        messages,
        onChunk: () => {},
        use: [middleware()],
        abortSignal: new AbortController().signal,
      }),
    ),
  );
}

type Generate = (messages: MessageData[], session: number) => Promise<GenerateResponse>;

// Talks that grow like those of agents, in lists that nobody keeps.
function callerOf(talk: MessageData[], generate: Generate): PromptCaller {
  const talks = new Map<number, MessageData[]>();
  return {
    seed: (session) => void talks.set(session, [...talk]),
    turn: async (session) => {
      const messages = [...(talks.get(session) ?? []), heard()];
      const { message } = await generate(messages, session);
      if (message === undefined) throw new Error("It said nothing.");
      if (talk.length > 0) talks.set(session, [...messages, message.toJSON()]);
    },
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
