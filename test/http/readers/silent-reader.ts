import { connect, type Socket } from "node:net";

/** A connection that asks and never takes the answer. It is destroyed when the other side has gone. */
export function silentReader(port: number, request: string): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.pause().write(request);
  socket.on("error", () => socket.destroy());
  return socket;
}

/** What asks for a run's events. */
export function eventsRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
}
