import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** Stands between a client and a server, and breaks what passes. */
export class FaultProxy {
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;
  #cutAfter: string | undefined;
  #connections = 0;

  private constructor(port: number) {
    this.#listener = createServer((client) => this.#accept(client, connect(port, "127.0.0.1")));
  }

  static async before(port: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(port);
    proxy.#listener.listen(0, "127.0.0.1");
    await once(proxy.#listener, "listening");
    return proxy;
  }

  get url(): string {
    const address = this.#listener.address();
    if (address === null || typeof address === "string") throw new Error("Not listening.");
    return `redis://127.0.0.1:${address.port}`;
  }

  /** How often somebody has connected. */
  get connections(): number {
    return this.#connections;
  }

  /** Hands the next command that holds the text to the server, and cuts the connection instead of passing the answer on. */
  cutAfter(text: string): void {
    this.#cutAfter = text;
  }

  /** Takes everything and answers nothing, until it thaws. */
  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cutAll();
    this.#listener.close();
    await once(this.#listener, "close");
  }

  #accept(client: Socket, server: Socket): void {
    this.#connections += 1;
    let isDoomed = false;
    client.on("data", (data) => {
      if (this.#cutAfter !== undefined && data.includes(this.#cutAfter)) {
        this.#cutAfter = undefined;
        isDoomed = true;
      }
      if (!this.#isFrozen) server.write(data);
    });
    server.on("data", (data) => {
      if (isDoomed) client.destroy();
      else if (!this.#isFrozen) client.write(data);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
