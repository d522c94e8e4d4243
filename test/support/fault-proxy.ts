import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of bytes on their way. `drop` loses them without a word, as a half-open connection does. */
export type Traffic = "pass" | "drop" | "drop-answers";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Stands between a client and a local server, and makes the network between them fail. */
export class FaultProxy {
  traffic: Traffic = "pass";
  /** Called with everything that clients send, before it goes on its way. */
  onQuestion: (bytes: Buffer) => void = () => {};
  /** Says what clients get instead of an answer. */
  onAnswer: (bytes: Buffer) => Buffer = (bytes) => bytes;
  readonly #target: number;
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();

  private constructor(target: number) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client));
  }

  static async start(target: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#listener.listen(0, "127.0.0.1");
    await once(proxy.#listener, "listening");
    return proxy;
  }

  /** The same address as `url`, by way of the proxy. */
  addressFor(url: string): string {
    const address = new URL(url);
    address.port = String((this.#listener.address() as AddressInfo).port);
    return address.href;
  }

  /** Loses for good whatever is still sent on the connections there are; new ones are served as ever. */
  forgetOpen(): void {
    for (const { client, server } of this.#pairs) {
      client.removeAllListeners("data");
      server.removeAllListeners("data");
    }
  }

  /** Breaks every connection there is, in a way that both ends notice. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  async stop(): Promise<void> {
    this.reset();
    this.#listener.close();
    await once(this.#listener, "close");
  }

  #join(client: Socket): void {
    const server = connect(this.#target, "127.0.0.1");
    const pair = { client, server };
    this.#pairs.add(pair);
    client.on("data", (bytes: Buffer) => {
      this.onQuestion(bytes);
      if (this.traffic !== "drop") server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (this.traffic === "pass") client.write(this.onAnswer(bytes));
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.on("error", () => {});
      end.on("close", () => {
        this.#pairs.delete(pair);
        // While packets are lost, so is the goodbye.
        if (this.traffic === "pass") other.destroy();
      });
    }
  }
}
