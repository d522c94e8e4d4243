import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";

/** What a client of the chat completions protocol sends. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** What comes of one request. */
export type Reply = (response: ServerResponse) => void;

export interface ChatServer {
  readonly url: string;
  /** Every request, in the order they came. */
  readonly requests: readonly ChatRequest[];
  /** Resolves when a client has left before its answer was complete. */
  readonly clientLeft: Promise<void>;
}

/** A server of the chat completions protocol that replies as it is told, one reply for each request. It is gone when the test has ended. */
export async function startChatServer(replies: readonly Reply[]): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const waiting = [...replies];
  let left = (): void => {};
  const clientLeft = new Promise<void>((resolve) => (left = resolve));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on("close", () => response.writableEnded || left());
    requests.push((await json(request)) as ChatRequest);
    const reply = waiting.shift() ?? expect.unreachable("one request too many");
    reply(response);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, clientLeft };
}

/** Says the words one by one. */
export function say(...words: readonly string[]): Reply {
  return (response) => {
    startStream(response);
    for (const content of words) send(response, { content });
    finish(response, "stop");
  };
}

/** Says the words and then nothing more, with the answer left open. */
export function stallAfter(...words: readonly string[]): Reply {
  return (response) => {
    startStream(response);
    for (const content of words) send(response, { content });
  };
}

export interface ToolAsked {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

/** Asks for tools: the name first, then the arguments a few characters at a time, those of all calls in turn. */
export function askForTools(...calls: readonly ToolAsked[]): Reply {
  return (response) => {
    startStream(response);
    for (const [index, { id, name }] of calls.entries()) {
      const start = { index, id, type: "function", function: { name, arguments: "" } };
      send(response, { tool_calls: [start] });
    }
    const pieces = calls.map(({ input }) => JSON.stringify(input).match(/.{1,4}/g) ?? []);
    const most = Math.max(...pieces.map(({ length }) => length));
    for (let at = 0; at < most; at += 1) {
      for (const [index, of] of pieces.entries()) {
        const piece = of[at];
        if (piece) send(response, { tool_calls: [{ index, function: { arguments: piece } }] });
      }
    }
    finish(response, "tool_calls");
  };
}

export function refuse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "test" } }));
  };
}

/** Breaks the connection in the middle of the answer. */
export function breakAfter(...words: readonly string[]): Reply {
  return (response) => {
    startStream(response);
    for (const content of words) send(response, { content });
    setImmediate(() => response.destroy());
  };
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  send(response, { role: "assistant" });
}

function finish(response: ServerResponse, reason: string): void {
  send(response, {}, reason);
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  write(response, { choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function send(response: ServerResponse, delta: object, reason: string | null = null): void {
  write(response, { choices: [{ index: 0, delta, finish_reason: reason }] });
}

function write(response: ServerResponse, part: object): void {
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "tiny", ...part };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
