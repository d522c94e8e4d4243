import process from "node:process";
import { defineCustomAgent } from "turnkeep";
import { remoteAgent } from "turnkeep/client";
import { serve } from "turnkeep/node";
import { openSqliteStore } from "turnkeep/stores/sqlite";

const echo = defineCustomAgent(
  { name: "echo", store: await openSqliteStore("echo.db") },
  async ({ session, respond }) => {
    await session.run(({ message }) => {
      respond.message(`You said: ${message?.content[0]?.text}`);
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const server = await serve([echo], {
  port: Number(process.env["PORT"] ?? 8080),
  // Who asks, by your own sign-in; sessions are a principal's own. To let in everybody, say "public".
  auth: (request) => {
    const user = request.headers.get("authorization") === "Bearer ada's token" ? "ada" : undefined;
    return user === undefined ? undefined : { tenant: "acme", principal: user };
  },
});

// In a browser or in Node: the same interface as the agent itself.
const remote = remoteAgent({
  url: `${server.url}/agents/echo`,
  headers: { authorization: "Bearer ada's token" },
});
const { chunks, output } = remote.streamText("Hello", { sessionId: "user-42" });
for await (const { modelChunk } of chunks) console.log(modelChunk?.content[0]?.text ?? "");
console.log((await output).orThrow().finishReason); // throws if the turn failed
const { state } = await remote.getLatestSnapshot("user-42");
console.log(state?.messages?.length, "messages are kept");
await server.close();
await echo.close();
