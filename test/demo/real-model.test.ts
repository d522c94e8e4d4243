import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { LocalAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { defineDemoAgents, findModel } from "../../src/demo/index.ts";
import { whenOver } from "../agent/life/leftovers.ts";
import { freshFolder, NO_KEYS, runTurnkeep } from "../cli/run-turnkeep.ts";
import { startCli } from "../workers/start-cli.ts";

afterEach(() => vi.unstubAllEnvs());

test("without a key there is no model, and a word on how to get one", async () => {
  const { model, hint } = await findModel({});
  expect(model).toBeUndefined();
  expect(hint).toContain("set GEMINI_API_KEY or OPENAI_API_KEY");
});

test("with a key and no plugin it is said what to install", async () => {
  const { model, hint } = await findModel({ GEMINI_API_KEY: "k" });
  expect(model).toBeUndefined();
  expect(hint).toContain(
    "npm install turnkeep genkit @cfworker/json-schema @genkit-ai/google-genai",
  );
});

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** Stands for the company at the other end: asks for a tool first, then speaks. */
async function listen(asked: Asked[]): Promise<string> {
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

// The plugin and Genkit are real.
test("with a key and its plugin the same agents run on the model", async () => {
  const asked: Asked[] = [];
  const url = await listen(asked);
  vi.stubEnv("OPENAI_API_KEY", "k");
  vi.stubEnv("OPENAI_BASE_URL", url);
  const { model } = await findModel({ OPENAI_API_KEY: "k", TURNKEEP_MODEL: "openai/gpt-4o" });
  const agents = defineDemoAgents({ store: new MemoryStore(), model: model! });
  const [concierge] = agents as readonly LocalAgent[];
  const { chunks, output } = concierge!.streamText("I am Ada.", { sessionId: "s" });
  let heard = "";
  for await (const { modelChunk } of chunks) {
    heard += modelChunk?.content.map(({ text = "" }) => text).join("") ?? "";
  }
  expect(await output).toMatchObject({ finishReason: "stop" });
  expect(heard).toBe("Hello, Ada.");
  const { state } = await concierge!.getLatestSnapshot("s");
  expect(state?.custom).toEqual({ name: "Ada", notes: [] });
  expect(state?.messages?.at(-1)?.metadata).toEqual({ model: "openai/gpt-4o" });
  expect(asked[0]?.tools.map((tool) => tool.function.name)).toEqual(["meet", "note", "weather"]);
  // The prompt knew what the tool had changed.
  expect(JSON.stringify(asked[1]?.messages[0])).toContain("The guest is Ada.");
  await Promise.all(agents.map((agent) => agent.close()));
});

test("the command demo takes the key and the plugin from where it runs", async () => {
  const asked: Asked[] = [];
  const environment = {
    ...NO_KEYS,
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: await listen(asked),
    TURNKEEP_MODEL: "openai/gpt-4o",
  };
  const cwd = freshFolder();
  const demo = startCli(["demo", "--port", "0", "--json"], environment, cwd);
  await demo.said("{");
  const { url, model } = JSON.parse(demo.lines[0] ?? "") as { url: string; model: string };
  expect(model).toBe("openai/gpt-4o (by OPENAI_API_KEY)");
  const { out } = await runTurnkeep(["chat", "concierge", "--url", url], { input: "I am Ada.\n" });
  expect(out).toContain('→ meet {"name":"Ada"}');
  expect(out).toContain("Hello, Ada.");
  expect(asked).toHaveLength(2);
  demo.kill("SIGTERM");
  expect(await demo.ended).toBe(0);
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
