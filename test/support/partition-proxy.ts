import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a client and a local server, and parts them for a while: what was said meanwhile arrives late, as after a real partition. */
export class PartitionProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #lines = new Set<Line>();
  #isSilent = false;

  /** Opens one that lets everything pass to the port. */
  static async open(targetPort: number): Promise<PartitionProxy> {
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new PartitionProxy(server, targetPort);
  }

  private constructor(server: Server, targetPort: number) {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("No TCP port to be had.");
    this.port = address.port;
    this.#server = server;
    this.#targetPort = targetPort;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** From now on nothing gets through in either direction, and nobody is told: not even that the other side is gone. */
  blackHole(): void {
    this.#isSilent = true;
    for (const line of this.#lines) line.silence();
  }

  /** Whatever was held up arrives, late. */
  heal(): void {
    this.#isSilent = false;
    for (const line of this.#lines) line.resume();
  }

  /** Cuts every connection. New ones get through, unless it is silent. */
  reset(): void {
    for (const line of this.#lines) line.cut();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.reset();
    await closed;
  }

  #accept(socket: Socket): void {
    const line = new Line(socket, this.#targetPort, () => this.#lines.delete(line));
    this.#lines.add(line);
    if (this.#isSilent) line.silence();
    else line.resume();
  }
}

/** One connection through the proxy. */
class Line {
  readonly #near: Socket;
  readonly #targetPort: number;
  readonly #over: () => void;
  #far: Socket | undefined;
  #isSilent = false;

  constructor(near: Socket, targetPort: number, over: () => void) {
    this.#near = near;
    this.#targetPort = targetPort;
    this.#over = over;
    near.pause();
    this.#tend(near);
  }

  silence(): void {
    this.#isSilent = true;
    this.#near.pause();
    this.#far?.pause();
  }

  resume(): void {
    this.#isSilent = false;
    if (this.#near.destroyed || this.#far?.destroyed) return this.cut();
    if (this.#far === undefined) this.#reachOut();
    this.#near.resume();
    this.#far?.resume();
  }

  cut(): void {
    this.#near.resetAndDestroy();
    this.#far?.resetAndDestroy();
    this.#over();
  }

  #reachOut(): void {
    const far = connect({ port: this.#targetPort, host: "127.0.0.1", allowHalfOpen: true });
    this.#far = far;
    this.#tend(far);
    this.#forward(this.#near, far);
    this.#forward(far, this.#near);
  }

  #forward(from: Socket, to: Socket): void {
    from.on("data", (data) => {
      if (!to.write(data)) from.pause();
    });
    to.on("drain", () => {
      if (!this.#isSilent) from.resume();
    });
    from.on("end", () => to.end());
  }

  #tend(socket: Socket): void {
    // The close that follows says all there is to say.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (!this.#isSilent) this.cut();
    });
  }
}
