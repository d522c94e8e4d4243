import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { whenOver } from "../agent/life/leftovers.ts";

/** A way to a server that can be cut and restored. */
export class Proxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isCut = false;

  static async open(target: string): Promise<Proxy> {
    const proxy = new Proxy(new URL(target));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    whenOver(() => proxy.#close());
    return proxy;
  }

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((socket) => this.#join(socket));
  }

  /** The target's address, by way of here. */
  get url(): string {
    const url = new URL(this.#target);
    url.hostname = "127.0.0.1";
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  #join(socket: Socket): void {
    if (this.#isCut) {
      socket.destroy();
      return;
    }
    const other = connect(Number(this.#target.port), this.#target.hostname);
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        this.#sockets.delete(one);
        two.destroy();
      });
      one.pipe(two);
    }
  }

  #close(): void {
    this.cut();
    this.#server.close();
  }
}
