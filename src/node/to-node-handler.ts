import type { ServerResponse } from "node:http";
import { answererOf, type Handler, StreamAnswer } from "../http/index.ts";
import { IncomingCall, type NodeRequest } from "./incoming-call.ts";
import { passOverRest } from "./request-body.ts";

/** Answers a request of Node's `http`, Express or Connect. */
export type NodeHandler = (request: NodeRequest, response: ServerResponse) => Promise<void>;

/** Serves a handler where requests come from Node's `http`: also in Express, before or after `express.json()`. */
export function toNodeHandler(handler: Handler): NodeHandler {
  const answerTo = answererOf(handler);
  return async (incoming, outgoing) => {
    // Whoever does not get the answer is told by `close`.
    outgoing.on("error", () => {});
    const call = findCall(incoming, outgoing);
    const answer = call ? await answerTo(call) : new Response(null, { status: 400 });
    passOverRest(incoming);
    const isBare = incoming.method === "HEAD";
    if (answer instanceof StreamAnswer) await sendStream(answer, outgoing, { isBare });
    else await send(answer, outgoing, { isBare });
  };
}

// `undefined` for what no `Request` can say.
function findCall(incoming: NodeRequest, outgoing: ServerResponse): IncomingCall | undefined {
  try {
    return new IncomingCall(incoming, outgoing);
  } catch {
    return undefined;
  }
}

// Straight into the socket. Done when nothing more will be said; nothing to wait for when there is nothing to say.
function sendStream(
  { stream, status, headers }: StreamAnswer,
  outgoing: ServerResponse,
  { isBare }: { readonly isBare: boolean },
): Promise<void> | void {
  if (outgoing.destroyed) return stream.cancel();
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (isBare) {
    stream.cancel();
    outgoing.end();
    return;
  }
  return new Promise<void>((resolve) => {
    outgoing.on("drain", () => stream.drained());
    outgoing.on("close", () => {
      stream.cancel();
      resolve();
    });
    stream.open({
      write: (text) => outgoing.write(text),
      end: () => {
        outgoing.end();
        resolve();
      },
      // A stream that breaks off must not look as if it were complete, and does not wait for one who does not read.
      break: () => outgoing.destroy(),
    });
  });
}

async function send(
  { status, headers, body }: Response,
  outgoing: ServerResponse,
  { isBare }: { readonly isBare: boolean },
): Promise<void> {
  if (outgoing.destroyed) return await body?.cancel();
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (isBare) await body?.cancel();
  else if (body) await pipe(body.getReader(), outgoing);
  if (!outgoing.destroyed) outgoing.end();
}

async function pipe(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  const stop = (): void => void reader.cancel().catch(() => {});
  outgoing.on("close", stop);
  // A stream that breaks off must not look as if it were complete, and does not wait for one who does not read.
  reader.closed.catch(() => outgoing.destroy());
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || outgoing.destroyed) return;
      if (!outgoing.write(value)) await drained(outgoing);
    }
  } catch {
    outgoing.destroy();
  } finally {
    outgoing.off("close", stop);
  }
}

async function drained(outgoing: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
    if (outgoing.destroyed) done();
  });
}
