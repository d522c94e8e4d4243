import {
  agentOutput,
  type AgentOutput,
  type Json,
  type JsonObject,
  type SessionSnapshot,
  type SessionState,
  TurnkeepError,
} from "../protocol/index.ts";
import type {
  AbortResult,
  AgentDescription,
  Annotation,
  ContentComparison,
  DeletedSession,
  ImportAnswer,
  RunUpdate,
  SessionList,
  SnapshotPageOptions,
  WaitOptions,
} from "./agent-types.ts";
import { fieldsOf, listOf } from "./answer.ts";
import { outputFrom } from "./check-update.ts";
import { linesOf } from "./lines-of.ts";
import { NativeRun } from "./native-run.ts";
import { nativeTurn } from "./native-turn.ts";
import { toError } from "./patience.ts";
import { RemoteTalk } from "./remote-talk.ts";
import type { Dialect, RunName } from "./remote-turn.ts";
import { snapshotFrom } from "./snapshot-from.ts";
import type { ClientRequest, Transport } from "./transport.ts";

const LINES = "application/x-ndjson";
// As long as a server of ours lets a client wait in one request.
const WAIT_MS = 30_000;

/** An agent on a server of ours. */
export class NativeAgent<Custom = Json, Output = Json, Status = Json> extends RemoteTalk<
  Custom,
  Output,
  Status
> {
  protected readonly dialect: Dialect<Custom, Output>;
  readonly #transport: Transport;

  constructor(transport: Transport, described: AgentDescription) {
    super(described, transport.options.ports);
    this.#transport = transport;
    this.dialect = {
      knowsHead: true,
      turn: (request) => {
        const isKept = this.metadata.stateManagement !== "client" && request.state === undefined;
        return nativeTurn(transport, request, isKept);
      },
    };
  }

  /** What a run does and did, from any event on: each once, in order, until it ends. */
  async *attach(
    runId: string,
    options: WaitOptions & { readonly after?: number | undefined } = {},
  ): AsyncGenerator<RunUpdate<Status>> {
    yield* new NativeRun<Custom, Output>(this.#transport, {
      ...options,
      runId,
    }).updates() as AsyncGenerator<RunUpdate<never>>;
  }

  async abort(id: string): Promise<AbortResult> {
    return await this.#ask<AbortResult>(`/runs/${part(id)}/abort`, { method: "POST", json: {} });
  }

  async getSnapshot(snapshotId: string): Promise<SessionSnapshot<Custom>> {
    return snapshotFrom(await this.#ask(`/snapshots/${part(snapshotId)}`));
  }

  async getLatestSnapshot(sessionId: string): Promise<SessionSnapshot<Custom>> {
    return snapshotFrom(await this.#ask(`/sessions/${part(sessionId)}`));
  }

  async waitFor(
    snapshotId: string,
    { signal }: WaitOptions = {},
  ): Promise<SessionSnapshot<Custom>> {
    for (;;) {
      const path = `/snapshots/${part(snapshotId)}?wait=${WAIT_MS}`;
      const snapshot = snapshotFrom<Custom>(await this.#ask(path, { signal }));
      if (snapshot.status !== "pending" && snapshot.status !== "expired") return snapshot;
    }
  }

  async getOutput(
    snapshotId: string,
    options: WaitOptions = {},
  ): Promise<AgentOutput<Custom, Output>> {
    await this.waitFor(snapshotId, options);
    const output = await this.#ask(`/snapshots/${part(snapshotId)}/output`, options);
    return agentOutput({ sessionId: "", ...outputFrom<Custom, Output>(output) });
  }

  async listSnapshots(
    sessionId: string,
    { withState, limit, after }: SnapshotPageOptions = {},
  ): Promise<readonly SessionSnapshot<Custom>[]> {
    const query = queryOf({ withState, limit, after });
    const path = `/sessions/${part(sessionId)}/snapshots${query}`;
    const { snapshots } = fieldsOf(await this.#ask(path));
    return listOf(snapshots).map((snapshot) => snapshotFrom<Custom>(snapshot));
  }

  async listSessions(
    options: {
      readonly limit?: number | undefined;
      readonly after?: string | undefined;
      readonly activity?: "active" | "idle" | undefined;
      readonly metadata?: JsonObject | undefined;
    } = {},
  ): Promise<SessionList> {
    const { limit, after, activity } = options;
    const metadata = options.metadata && JSON.stringify(options.metadata);
    const query = queryOf({ limit, after, activity, metadata });
    const list = await this.#ask<SessionList>(`/sessions${query}`);
    listOf(list.sessions);
    return list;
  }

  async fork(
    snapshotId: string,
    options: {
      readonly sessionId?: string | undefined;
      readonly state?: SessionState<Custom> | undefined;
    } = {},
  ): Promise<SessionSnapshot<Custom>> {
    const { sessionId = this.#transport.options.ports.newId(), state } = options;
    const request = { method: "POST" as const, json: { sessionId, state } };
    try {
      return snapshotFrom(await this.#ask(`/snapshots/${part(snapshotId)}/fork`, request));
    } catch (error) {
      // Nobody else knows a name that was made here: the fork was made, and the answer lost.
      const isOwn = options.sessionId === undefined && isStatus(error, "ALREADY_EXISTS");
      if (isOwn) return await this.getLatestSnapshot(sessionId);
      throw error;
    }
  }

  async diff(fromSnapshotId: string, toSnapshotId: string): Promise<ContentComparison> {
    return await this.#ask(`/snapshots/${part(fromSnapshotId)}/diff?to=${part(toSnapshotId)}`);
  }

  async label(sessionId: string, annotation: Annotation): Promise<void> {
    const path = `/sessions/${part(sessionId)}/labels`;
    await this.#ask(path, { method: "POST", json: annotation });
  }

  async deleteSession(sessionId: string): Promise<DeletedSession | undefined> {
    try {
      const path = `/sessions/${part(sessionId)}`;
      const { linked } = await this.#ask<Partial<DeletedSession>>(path, { method: "DELETE" });
      return { sessionId, linked: linked ?? [] };
    } catch (error) {
      if (isStatus(error, "NOT_FOUND")) return undefined;
      throw error;
    }
  }

  async *exportSession(sessionId: string): AsyncGenerator<string> {
    const path = `/sessions/${part(sessionId)}/export`;
    try {
      yield* linesOf(await this.#transport.open(path, {}));
    } catch (error) {
      throw toError(error);
    }
  }

  async importSession(
    sessionId: string,
    lines: Iterable<string> | AsyncIterable<string>,
  ): Promise<ImportAnswer> {
    let text = "";
    for await (const line of lines) text += `${line}\n`;
    return await this.#ask<ImportAnswer>(`/sessions/${part(sessionId)}/import`, {
      method: "POST",
      text,
      headers: { "content-type": LINES },
      allowed: 409,
      isRepeatable: false,
    });
  }

  protected async describe(): Promise<AgentDescription> {
    const answer = await this.#ask<AgentDescription>("");
    fieldsOf(answer.metadata);
    return answer;
  }

  protected async findPending(run: RunName): Promise<string | undefined> {
    const snapshots = await this.listSnapshots(run.sessionId);
    const isOwn = ({ status, runId }: SessionSnapshot<Custom>): boolean =>
      status === "pending" && runId === run.runId;
    return snapshots.find(isOwn)?.snapshotId;
  }

  async #ask<Answer = unknown>(path: string, request?: ClientRequest): Promise<Answer> {
    return fieldsOf(await this.#transport.json(path, request)) as Answer;
  }
}

function queryOf(options: object): string {
  // The way over JSON leaves out what was not said.
  const said = JSON.parse(JSON.stringify(options)) as Record<string, string>;
  const query = new URLSearchParams(said).toString();
  return query === "" ? "" : `?${query}`;
}

function part(id: string): string {
  // Such steps would lead elsewhere, however they are written.
  if (/^\.{0,2}$/.test(id)) throw new TurnkeepError("INVALID_ARGUMENT", `'${id}' is no id.`);
  return encodeURIComponent(id);
}

function isStatus(error: unknown, status: TurnkeepError["status"]): boolean {
  return TurnkeepError.is(error) && error.status === status;
}
