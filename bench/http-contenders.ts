import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What every contender's agent is told to say: so many chunks, with a pause before each. */
export interface Script {
  readonly chunks: number;
  readonly pauseMs: number;
}

export interface HttpContender {
  /** Where turns are posted to. */
  readonly url: string;
  readonly close: () => Promise<void> | void;
}

const CHUNK = "ten chars ";

export const HTTP_CONTENDERS: Readonly<Record<string, () => Promise<HttpContender>>> = {
  turnkeep: openTurnkeep,
  bare: openBare,
  genkit: openGenkit,
};

/** A turn as Genkit's clients post it, which all contenders understand. */
export function turnBody(sessionId: string, script: Script): string {
  const message = { role: "user", content: [{ text: JSON.stringify(script) }] };
  return JSON.stringify({ data: { message }, init: { sessionId } });
}

async function openTurnkeep(): Promise<HttpContender> {
  const { defineCustomAgent } = await import("turnkeep");
  const { MemoryStore } = await import("turnkeep/stores/memory");
  const { serve } = await import("turnkeep/node");
  const agent = defineCustomAgent(
    { name: "bench", store: new MemoryStore() },
    async ({ session, respond }) => {
      await session.run(async ({ message }) => {
        await follow(scriptIn(message?.content[0]?.text), (text) => respond.text(text));
        session.addMessages({ role: "model", content: [{ text: "done" }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
  const server = await serve([agent], { auth: "public" });
  return { url: `${server.url}/agents/bench`, close: async () => await server.close() };
}

// The floor: Node's own server writing the same frames.
async function openBare(): Promise<HttpContender> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { data } = JSON.parse(Buffer.concat(pieces).toString()) as {
        data: { message: { content: { text: string }[] } };
      };
      response.writeHead(200, { "content-type": "text/event-stream" });
      const say = (text: string): void => {
        const frame = { message: { modelChunk: { content: [{ text }] } } };
        response.write(`data: ${JSON.stringify(frame)}\n\n`);
      };
      const end = `data: ${JSON.stringify({ result: { finishReason: "stop" } })}\n\n`;
      void follow(scriptIn(data.message.content[0]?.text), say).finally(() => response.end(end));
    });
  });
  return { url: await listening(server), close: () => void server.close() };
}

async function openGenkit(): Promise<HttpContender> {
  const { genkit, InMemorySessionStore } = await import("genkit/beta");
  const { expressHandler } = await import("@genkit-ai/express");
  const { default: express } = await import("express");
  const ai = genkit({});
  const store = new InMemorySessionStore();
  const agent = ai.defineCustomAgent({ name: "bench", store }, async (session, { sendChunk }) => {
    await session.run(async ({ message }) => {
      const say = (text: string): void => sendChunk({ modelChunk: { content: [{ text }] } });
      await follow(scriptIn(message?.content[0]?.text), say);
      session.addMessages([{ role: "model", content: [{ text: "done" }] }]);
      return { finishReason: "stop" };
    });
    return {};
  });
  const app = express().use(express.json()).post("/", expressHandler(agent));
  const server = createServer(app);
  return { url: await listening(server), close: () => void server.close() };
}

async function follow({ chunks, pauseMs }: Script, say: (text: string) => void): Promise<void> {
  for (let index = 0; index < chunks; index += 1) {
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    // Now and then, as a model's answer comes in pieces from the network.
    else if (index % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    say(CHUNK);
  }
}

function scriptIn(text = ""): Script {
  return JSON.parse(text) as Script;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
