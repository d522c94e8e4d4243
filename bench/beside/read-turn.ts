import { type Agent, request } from "node:http";
import { CHUNK, type Script } from "../contenders/scripted-model.ts";
import { turnBody } from "../contenders/serve-turns.ts";
import { EndWatch } from "./end-watch.ts";

export interface ReadTurn {
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly bytes: number;
}

/** Posts a turn and reads its stream to the end, doing as little as possible with it. */
export async function readTurn(
  url: string,
  sessionId: string,
  script: Script,
  agent?: Agent,
): Promise<ReadTurn> {
  const body = turnBody(sessionId, script);
  const begin = performance.now();
  return await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const outgoing = request(
      url,
      { method: "POST", headers, ...(agent && { agent }) },
      (response) => {
        let firstMs = 0;
        let bytes = 0;
        // The AI SDK has a last word of its own.
        const end = new EndWatch('{"result":', "[DONE]");
        response.on("data", (piece: Buffer) => {
          if (firstMs === 0 && piece.includes(CHUNK)) firstMs = performance.now() - begin;
          bytes += piece.length;
          end.look(piece);
        });
        response.on("error", reject);
        response.on("end", () => {
          if (end.isSeen && bytes > script.chunks * CHUNK.length)
            resolve({ firstMs, wholeMs: performance.now() - begin, bytes });
          else reject(new Error(`A turn was cut off after ${bytes} bytes.`));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
