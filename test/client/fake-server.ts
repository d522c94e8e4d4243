import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server that says whatever a test wants. */
export async function fakeServer(
  answer: (asked: Asked, response: ServerResponse) => void | Promise<void>,
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { method = "", url: path = "", headers } = request;
    asked.push({ method, path, headers, body });
    await answer(asked.at(-1)!, response);
  };
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/agents/fake`, asked };
}

export function stream(response: ServerResponse, ...frames: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const frame of frames) response.write(`${frame}\n\n`);
  response.end();
}

export function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: object = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export const RUN = `event: run\ndata: {"runId":"s.r","sessionId":"s"}`;

export function update(seq: number, chunk: unknown, id = `s.r.${seq}`): string {
  return `event: update\nid: ${id}\ndata: ${JSON.stringify({ seq, type: "chunk", chunk })}`;
}

export function result(output: unknown): string {
  return `event: result\ndata: ${JSON.stringify(output)}`;
}
