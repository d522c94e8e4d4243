import { type Json, type SessionSnapshot, TurnkeepError } from "../protocol/index.ts";
import type { AbortResult, AgentDescription, WaitOptions } from "./agent-types.ts";
import { fieldsOf } from "./answer.ts";
import { sleep } from "./client-ports.ts";
import { GenkitTurn } from "./genkit-turn.ts";
import type { Protocol, RemoteAgent } from "./remote-agent.ts";
import { RemoteTalk } from "./remote-talk.ts";
import type { Dialect } from "./remote-turn.ts";
import { snapshotFrom } from "./snapshot-from.ts";
import type { Transport } from "./transport.ts";

const POLL_MS = 1000;

/** For servers that speak Genkit's protocol. What that does not know is refused with UNIMPLEMENTED. */
export const genkitProtocol: Protocol = <Custom, Output, Status>(
  transport: Transport,
  described: AgentDescription,
) =>
  new GenkitAgent<Custom, Output, Status>(transport, described) as unknown as RemoteAgent<
    Custom,
    Output,
    Status
  >;

/** An agent on a server that speaks Genkit's protocol: it can be talked to, its runs detached, polled and aborted. */
class GenkitAgent<Custom = Json, Output = Json, Status = Json> extends RemoteTalk<
  Custom,
  Output,
  Status
> {
  protected readonly dialect: Dialect<Custom, Output>;
  readonly attach: () => AsyncGenerator<never> = missingList;
  readonly exportSession: () => AsyncGenerator<never> = missingList;
  readonly getOutput: () => Promise<never> = missing;
  readonly listSnapshots: () => Promise<never> = missing;
  readonly listSessions: () => Promise<never> = missing;
  readonly fork: () => Promise<never> = missing;
  readonly diff: () => Promise<never> = missing;
  readonly label: () => Promise<never> = missing;
  readonly deleteSession: () => Promise<never> = missing;
  readonly importSession: () => Promise<never> = missing;
  readonly #transport: Transport;

  constructor(transport: Transport, described: AgentDescription) {
    super(described, transport.options.ports);
    this.#transport = transport;
    this.dialect = { knowsHead: false, turn: (request) => new GenkitTurn(transport, request) };
  }

  async abort(snapshotId: string): Promise<AbortResult> {
    const { status } = fieldsOf(await this.#ask("/abort", { snapshotId })) as AbortResult;
    return status === undefined ? {} : { status };
  }

  async getSnapshot(snapshotId: string): Promise<SessionSnapshot<Custom>> {
    return snapshotFrom(await this.#ask("/getSnapshot", { snapshotId }));
  }

  async getLatestSnapshot(sessionId: string): Promise<SessionSnapshot<Custom>> {
    return snapshotFrom(await this.#ask("/getSnapshot", { sessionId }));
  }

  async waitFor(
    snapshotId: string,
    { signal }: WaitOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    for (;;) {
      const snapshot = await this.getSnapshot(snapshotId);
      // On Genkit's own servers nobody goes on with a turn that has expired.
      if (snapshot.status !== "pending") return snapshot;
      await sleep(this.#transport.options.ports, POLL_MS, signal);
    }
  }

  protected readonly describe: () => Promise<never> = missing;
  protected readonly findPending: () => Promise<never> = missing;

  async #ask(path: string, data: Json): Promise<unknown> {
    const request = { method: "POST" as const, json: { data } };
    return fieldsOf(await this.#transport.json(path, request))["result"];
  }
}

async function missing(): Promise<never> {
  throw new TurnkeepError("UNIMPLEMENTED", "Genkit's protocol has no such request.");
}

async function* missingList(): AsyncGenerator<never> {
  yield await missing();
}
