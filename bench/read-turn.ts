import { type Agent, request } from "node:http";
import { type Script, turnBody } from "./http-contenders.ts";

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
        let end = "";
        response.on("data", (piece: Buffer) => {
          if (bytes === 0) firstMs = performance.now() - begin;
          bytes += piece.length;
          end = (end + piece.toString("latin1", Math.max(0, piece.length - 500))).slice(-500);
        });
        response.on("error", reject);
        response.on("end", () => {
          if (end.includes('{"result":'))
            resolve({ firstMs, wholeMs: performance.now() - begin, bytes });
          else reject(new Error(`The turn did not end well: ${end}`));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
