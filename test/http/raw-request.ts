import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Answered } from "./serving.ts";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  readonly body: Answered;
}

/** Sends exactly these headers, also those that `fetch` keeps to itself. */
export async function rawRequest(
  port: number,
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        host: "127.0.0.1",
        path,
        method,
        headers,
        setHost: !("host" in headers),
        agent: false,
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        incoming.on("error", reject).on("end", () => {
          const { statusCode: status = 0, headers } = incoming;
          resolve({
            status,
            headers,
            text,
            body: text.startsWith("{") ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    asked.on("error", reject).end(body);
  });
}

export interface RawSocket {
  readonly socket: Socket;
  /** Everything that came so far. */
  readonly seen: () => string;
  /** Resolves with everything when the other side has closed. */
  readonly closed: Promise<string>;
}

/** A connection that says what it likes. */
export function rawSocket(port: number, ...said: readonly string[]): RawSocket {
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (seen += piece));
  socket.on("error", () => {});
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(seen)));
  for (const text of said) socket.write(text);
  onTestFinished(() => void socket.destroy());
  return { socket, seen: () => seen, closed };
}

export function postHead(path: string, headers: readonly string[]): string {
  return [`POST ${path} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n");
}
