// Serves an agent over HTTP and talks to it from the outside: two people, each with their own sessions, and a stream that goes on where it was left.
import { defineCustomAgent } from "turnkeep";
import { remoteAgent } from "turnkeep/client";
import { serve } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";

const counter = defineCustomAgent(
  { name: "counter", store: new MemoryStore() },
  async ({ session, respond }) => {
    await session.run(() => {
      for (const number of ["one", "two", "three"]) respond.text(number);
      session.addMessages({ role: "model", content: [{ text: "one two three" }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const server = await serve([counter], {
  // Stands in for your own sign-in: a token is a name here.
  auth: (request) => {
    const principal = request.headers.get("authorization")?.replace("Bearer ", "");
    return principal === undefined ? undefined : { tenant: "acme", principal };
  },
});

function as(name: string): ReturnType<typeof remoteAgent> {
  const url = `${server.url}/agents/counter`;
  return remoteAgent({ url, headers: { authorization: `Bearer ${name}` } });
}

const ada = as("ada");
const turn = ada.streamText("Count!", { sessionId: "numbers" });
for await (const { modelChunk } of turn.chunks) {
  if (modelChunk) console.log(`ada hears ${modelChunk.content[0]?.text}`);
}
await turn.output;

// Whoever knows the last event goes on after it, from any device.
for await (const { chunk } of ada.attach(turn.runId, { after: 2 })) {
  if (chunk?.modelChunk) console.log(`ada's phone hears ${chunk.modelChunk.content[0]?.text}`);
}

const list = async (name: string): Promise<string> =>
  (await as(name).listSessions()).sessions.map(({ sessionId }) => sessionId).join() || "nothing";
console.log(`ada has ${await list("ada")}, bob has ${await list("bob")}`);

const stranger = remoteAgent({ url: `${server.url}/agents/counter` });
await stranger.runText("Hello?").catch((error: unknown) => {
  if (error instanceof Error) console.log(`a stranger hears: ${error.message}`);
});

await server.close();
