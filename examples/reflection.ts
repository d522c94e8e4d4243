import process from "node:process";
import { defineCustomAgent } from "turnkeep";
import { serve } from "turnkeep/node";
import { createReflection, TraceStore } from "turnkeep/reflection";
import { MemoryStore } from "turnkeep/stores/memory";

// The API for developers' tools beside an agent, and one question to it.
const support = defineCustomAgent(
  { name: "support", description: "Helps with orders.", store: new MemoryStore() },
  async ({ session }) => {
    await session.run(() => ({ finishReason: "stop" }));
  },
);
const auth = (): { tenant: string } => ({ tenant: "local" });

const traces = new TraceStore(); // also one of the OpenTelemetry SDK's `spanProcessors`
const reflection = createReflection([support], {
  environment: process.env["NODE_ENV"],
  path: "/studio",
  traces,
});
const server = await serve([support], { auth, beside: [reflection] });
console.log(`${server.url}/studio/#token=${reflection.token}`);

await support.runText("Hello", { sessionId: "ada" });
const headers = { authorization: `Bearer ${reflection.token}` };
const answer = await fetch(`${server.url}/studio/api/agents/support/sessions`, { headers });
const { sessions } = (await answer.json()) as { sessions: { id: string }[] };
console.log(`${answer.status}: ${sessions.length} session`);
const stranger = await fetch(`${server.url}/studio/api/agents`);
console.log(`without the token: ${stranger.status}`);
await server.close();
