import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServedContender } from "./contender.ts";
import type { Script } from "./scripted-model.ts";

/** A turn as Genkit's clients post it, which all contenders understand. */
export function turnBody(sessionId: string, script: Script): string {
  const message = { role: "user", content: [{ text: JSON.stringify(script) }] };
  return JSON.stringify({ data: { message }, init: { sessionId } });
}

export interface PostedTurn {
  readonly sessionId: string;
  readonly text: string;
}

/** The least server there can be, for contenders that bring none. */
export async function serveTurns(
  answer: (turn: PostedTurn, response: ServerResponse) => Promise<void>,
): Promise<ServedContender> {
  return await listening(
    createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const { data, init } = JSON.parse(Buffer.concat(pieces).toString()) as {
          data: { message: { content: [{ text: string }] } };
          init: { sessionId: string };
        };
        const turn = { sessionId: init.sessionId, text: data.message.content[0].text };
        // A reader sees by its end that the stream was cut off.
        answer(turn, response).catch(() => response.destroy());
      });
    }),
  );
}

/** Writes one frame of an event stream. */
export function writeFrame(response: ServerResponse, frame: unknown): void {
  response.write(`data: ${JSON.stringify(frame)}\n\n`);
}

/** Ends a stream with the whole answer, by which its reader knows that nothing is missing. */
export function endFrames(response: ServerResponse, text: string): void {
  const message = { role: "model", content: [{ text }] };
  response.end(`data: ${JSON.stringify({ result: { finishReason: "stop", message } })}\n\n`);
}

export async function listening(server: Server): Promise<ServedContender> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}
