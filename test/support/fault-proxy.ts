import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * What becomes of bytes on their way: `hold` keeps them until they may pass, as a partition does; `drop` loses them without a word, as a
 * half-open connection does; `refuse` cuts whoever is there, and whoever comes.
 */
export type Traffic = "pass" | "hold" | "drop" | "drop-answers" | "refuse";

/** Stands between a client and a local server, and makes the network between them fail. */
export class FaultProxy {
  /** Called with everything that clients send, before it goes on its way. */
  onQuestion: (bytes: Buffer) => void = () => {};
  /** Says what clients get instead of an answer. */
  onAnswer: (bytes: Buffer) => Buffer = (bytes) => bytes;
  readonly port: number;
  readonly #target: number;
  readonly #listener: Server;
  readonly #lines = new Set<Line>();
  #traffic: Traffic = "pass";
  #connections = 0;
  #fatalWords: string | undefined;

  /** Opens one that lets everything pass to the port. */
  static async start(target: number): Promise<FaultProxy> {
    const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    return new FaultProxy(listener, target);
  }

  private constructor(listener: Server, target: number) {
    const address = listener.address();
    if (address === null || typeof address === "string") throw new Error("No TCP port to be had.");
    this.port = address.port;
    this.#target = target;
    this.#listener = listener;
    listener.on("connection", (client) => this.#accept(client));
  }

  get traffic(): Traffic {
    return this.#traffic;
  }

  set traffic(traffic: Traffic) {
    this.#traffic = traffic;
    if (traffic === "refuse") this.reset();
    for (const line of this.#lines) line.adapt();
  }

  /** How often somebody has connected. */
  get connections(): number {
    return this.#connections;
  }

  /** The same address as `url`, by way of the proxy. */
  addressFor(url: string): string {
    const address = new URL(url);
    address.port = String(this.port);
    return address.href;
  }

  /** Hands the next question that holds the text to the server, and cuts the connection instead of passing the answer on. */
  cutAfter(text: string): void {
    this.#fatalWords = text;
  }

  /** Loses for good whatever is still sent on the connections there are; new ones are served as ever. */
  forgetOpen(): void {
    for (const line of this.#lines) line.isForgotten = true;
  }

  /** Breaks every connection there is, in a way that both ends notice. New ones get through, if the traffic does. */
  reset(): void {
    for (const line of this.#lines) line.cut();
  }

  async stop(): Promise<void> {
    const closed = once(this.#listener, "close");
    this.#listener.close();
    this.reset();
    await closed;
  }

  #accept(client: Socket): void {
    this.#connections += 1;
    const line = new Line(client, this.#target, {
      traffic: () => this.#traffic,
      isFatal: (bytes) => this.#isFatal(bytes),
      onQuestion: (bytes) => this.onQuestion(bytes),
      onAnswer: (bytes) => this.onAnswer(bytes),
      onOver: () => this.#lines.delete(line),
    });
    this.#lines.add(line);
    if (this.#traffic === "refuse") line.cut();
    else line.adapt();
  }

  #isFatal(bytes: Buffer): boolean {
    if (this.#fatalWords === undefined || !bytes.includes(this.#fatalWords)) return false;
    this.#fatalWords = undefined;
    return true;
  }
}

interface Rules {
  readonly traffic: () => Traffic;
  readonly isFatal: (bytes: Buffer) => boolean;
  readonly onQuestion: (bytes: Buffer) => void;
  readonly onAnswer: (bytes: Buffer) => Buffer;
  readonly onOver: () => void;
}

/** One connection through the proxy. */
class Line {
  isForgotten = false;
  readonly #client: Socket;
  readonly #target: number;
  readonly #rules: Rules;
  #server: Socket | undefined;
  #isDoomed = false;

  constructor(client: Socket, target: number, rules: Rules) {
    this.#client = client;
    this.#target = target;
    this.#rules = rules;
    client.pause();
    this.#tend(client);
  }

  /** Does as the traffic now is. */
  adapt(): void {
    if (this.#rules.traffic() === "hold") {
      this.#client.pause();
      this.#server?.pause();
      return;
    }
    // While packets were held or lost, so was the goodbye.
    if (this.#isPassing && (this.#client.destroyed || this.#server?.destroyed)) return this.cut();
    if (this.#server === undefined) this.#reachOut();
    this.#client.resume();
    this.#server?.resume();
  }

  cut(): void {
    this.#client.resetAndDestroy();
    this.#server?.resetAndDestroy();
    this.#rules.onOver();
  }

  get #isPassing(): boolean {
    return this.#rules.traffic() === "pass" && !this.isForgotten;
  }

  #reachOut(): void {
    const server = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true });
    this.#server = server;
    this.#tend(server);
    this.#client.on("data", (bytes: Buffer) => {
      this.#rules.onQuestion(bytes);
      if (this.#rules.isFatal(bytes)) this.#isDoomed = true;
      if (!this.isForgotten && this.#rules.traffic() !== "drop") server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (this.#isDoomed) this.cut();
      else if (this.#isPassing) this.#client.write(this.#rules.onAnswer(bytes));
    });
    this.#client.on("end", () => this.#isPassing && server.end());
    server.on("end", () => this.#isPassing && this.#client.end());
  }

  #tend(socket: Socket): void {
    // The close that follows says all there is to say.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#isPassing) this.cut();
    });
  }
}
