import {
  type AgentInput,
  type AgentMetadata,
  type AgentOutput,
  type Json,
  type SessionSnapshot,
  TurnkeepError,
} from "../protocol/index.ts";
import type {
  AbortResult,
  AgentDescription,
  AgentStream,
  CallOptions,
  Connection,
  DetachedRun,
  WaitOptions,
} from "./agent-types.ts";
import type { ClientPorts } from "./client-ports.ts";
import { LiveCustom } from "./live-custom.ts";
import { RemoteConnection } from "./remote-connection.ts";
import type { Dialect, RunName } from "./remote-turn.ts";

/** Talking to an agent behind HTTP, whatever protocol its server speaks. */
export abstract class RemoteTalk<Custom = Json, Output = Json, Status = Json> {
  #described: AgentDescription;
  readonly #ports: ClientPorts;

  constructor(described: AgentDescription, ports: ClientPorts) {
    this.#described = described;
    this.#ports = ports;
  }

  get name(): string {
    return this.#described.name;
  }

  get description(): string {
    return this.#described.description ?? "";
  }

  /** What is known of the agent; all of it after `load`. */
  get metadata(): AgentMetadata {
    return this.#described.metadata;
  }

  /** Asks the server what the agent is. Not needed to talk to it. */
  async load(): Promise<this> {
    this.#described = await this.describe();
    return this;
  }

  connect(options: CallOptions<Custom> = {}): Connection<Custom, Output, Status> {
    const connection: Connection<Custom, Output, Status> = new RemoteConnection<
      Custom,
      Output,
      Status
    >({
      call: options,
      dialect: this.dialect,
      ports: this.#ports,
      live: new LiveCustom(this, () => connection.sessionId),
      findPending: (run) => this.findPending(run),
    });
    return connection;
  }

  async run(
    input: AgentInput,
    options?: CallOptions<Custom>,
  ): Promise<AgentOutput<Custom, Output>> {
    return await this.stream(input, options).output;
  }

  async runText(text: string, options?: CallOptions<Custom>): Promise<AgentOutput<Custom, Output>> {
    return await this.streamText(text, options).output;
  }

  stream(input: AgentInput, options?: CallOptions<Custom>): AgentStream<Custom, Output, Status> {
    const connection = this.connect(options);
    const sent = connection.send(input).finally(() => connection.close());
    const output = sent.then(() => connection.output());
    output.catch(() => {});
    const chunks = async function* (): AsyncGenerator<never> {
      await sent;
      yield* connection.receive() as AsyncGenerator<never>;
    };
    return {
      get runId() {
        return connection.runId;
      },
      chunks: chunks(),
      output,
    };
  }

  streamText(text: string, options?: CallOptions<Custom>): AgentStream<Custom, Output, Status> {
    return this.stream({ message: { role: "user", content: [{ text }] } }, options);
  }

  async detach(input: AgentInput, options?: CallOptions<Custom>): Promise<DetachedRun<Custom>> {
    const stream = this.stream({ ...input, detach: true }, options);
    const { sessionId, snapshotId, error } = await stream.output;
    if (snapshotId === undefined) {
      const { status = "INTERNAL", message = "The run could not be detached." } = error ?? {};
      throw new TurnkeepError(status, message);
    }
    return {
      runId: stream.runId,
      sessionId,
      snapshotId,
      wait: (waiting) => this.waitFor(snapshotId, waiting),
      abort: () => this.abort(snapshotId),
    };
  }

  abstract abort(id: string): Promise<AbortResult>;
  abstract getSnapshot(snapshotId: string): Promise<SessionSnapshot<Custom>>;
  abstract getLatestSnapshot(sessionId: string): Promise<SessionSnapshot<Custom>>;
  abstract waitFor(snapshotId: string, options?: WaitOptions): Promise<SessionSnapshot<Custom>>;

  protected abstract readonly dialect: Dialect<Custom, Output>;
  protected abstract describe(): Promise<AgentDescription>;
  protected abstract findPending(run: RunName): Promise<string | undefined>;
}
