import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { defineDemoAgents, findModel } from "../../src/demo/index.ts";
import { whenOver } from "../agent/life/leftovers.ts";

afterEach(() => vi.unstubAllEnvs());

test("without a key there is no model, and a word on how to get one", async () => {
  const { model, hint } = await findModel({});
  expect(model).toBeUndefined();
  expect(hint).toContain("set GEMINI_API_KEY or OPENAI_API_KEY");
});

test("with a key and no plugin it is said what to install", async () => {
  const { model, hint } = await findModel({ GEMINI_API_KEY: "k" });
  expect(model).toBeUndefined();
  expect(hint).toContain("npm install genkit @cfworker/json-schema @genkit-ai/google-genai");
});

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

// The plugin and Genkit are real; the company at the other end is not.
test("with a key and its plugin the same agents run on the model", async () => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const body: Buffer[] = [];
    request.on("data", (part: Buffer) => body.push(part));
    request.on("end", () => {
      asked.push(JSON.parse(Buffer.concat(body).toString()) as Asked);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const deltas = asked.length === 1 ? TOOL_CALL : WORDS;
      for (const delta of deltas) response.write(frame(delta));
      response.end(`${frame({}, asked.length === 1 ? "tool_calls" : "stop")}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenOver(() => void server.close());
  vi.stubEnv("OPENAI_API_KEY", "k");
  vi.stubEnv("OPENAI_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  const { model } = await findModel({ OPENAI_API_KEY: "k", TURNKEEP_MODEL: "openai/gpt-4o" });
  const agents = defineDemoAgents({ store: new MemoryStore(), model: model! });
  const [concierge] = agents as readonly LocalAgent[];
  const { chunks, output } = concierge!.streamText("I am Ada.", { sessionId: "s" });
  let heard = "";
  for await (const { modelChunk } of chunks) {
    heard += modelChunk?.content.map(({ text = "" }) => text).join("") ?? "";
  }
  expect((await output).finishReason).toBe("stop");
  expect(heard).toBe("Hello, Ada.");
  const { state } = await concierge!.getLatestSnapshot("s");
  expect(state?.custom).toEqual({ name: "Ada", notes: [] });
  expect(state?.messages?.at(-1)?.metadata).toEqual({ model: "openai/gpt-4o" });
  expect(asked[0]?.tools.map((tool) => tool.function.name)).toEqual(["meet", "note", "weather"]);
  // The prompt knew what the tool had changed.
  expect(JSON.stringify(asked[1]?.messages[0])).toContain("The guest is Ada.");
  await Promise.all(agents.map((agent) => agent.close()));
});

const TOOL_CALL = [
  {
    tool_calls: [
      {
        index: 0,
        id: "c1",
        type: "function",
        function: { name: "meet", arguments: '{"name":"Ada"}' },
      },
    ],
  },
];
const WORDS = [{ content: "Hello, " }, { content: "Ada." }];

function frame(delta: object, finishReason: string | null = null): string {
  const choice = { index: 0, delta: { role: "assistant", ...delta }, finish_reason: finishReason };
  const chunk = { id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-4o" };
  return `data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`;
}
