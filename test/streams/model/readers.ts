import type { AgentConnection, AgentStreamChunk, BusyPolicy } from "turnkeep";
import { user } from "../../agent/agents.ts";
import { PATHS, type PathName, type LiveReader } from "../paths.ts";
import { type Process, SESSION } from "./stage.ts";

export interface Opening {
  readonly path: PathName;
  readonly process: Process;
  readonly onBusy: BusyPolicy;
  readonly detaches: boolean;
}

/** Somebody who sent inputs and reads what comes of them. */
export class SequenceReader {
  readonly path: PathName;
  /** The names of inputs that were sent by it, and whether each was accepted, once that is known. */
  readonly inputs: Map<string, boolean | undefined> = new Map();
  readonly live: LiveReader;
  readonly connection: AgentConnection | undefined;
  isDetached: boolean;
  isOver = false;

  constructor(first: string, { path, process, onBusy, detaches }: Opening) {
    this.path = path;
    this.isDetached = detaches;
    const sending = { sessionId: SESSION, onBusy, detach: detaches };
    if (path === "in process") {
      this.connection = process.agent.connect({ sessionId: SESSION, onBusy });
      this.live = readAll(this.connection);
      this.send(first, detaches);
    } else {
      this.inputs.set(first, undefined);
      this.live = PATHS[path](process.agent, first, sending, process.ports);
    }
    void this.live.over.then(() => (this.isOver = true));
  }

  send(name: string, detach = false): void {
    this.inputs.set(name, undefined);
    const sent = this.connection?.send({ ...user(name), ...(detach && { detach }) });
    sent?.then(
      () => this.inputs.set(name, true),
      () => this.inputs.set(name, false),
    );
  }

  close(): void {
    this.connection?.close();
  }

  detach(): void {
    if (this.connection === undefined) return;
    this.isDetached = true;
    this.connection.detach().catch(() => {});
  }

  get chunks(): readonly AgentStreamChunk[] {
    return this.live.heard.chunks;
  }
}

// From the beginning, as a client does that shows what comes while it sends.
function readAll(connection: AgentConnection): LiveReader {
  const heard: LiveReader["heard"] = { chunks: [] };
  const read = async (): Promise<void> => {
    for await (const chunk of connection.receive()) heard.chunks.push(chunk);
    heard.output = await connection.output();
  };
  const over = read().catch((error: unknown) => {
    heard.error = error;
  });
  return { heard, over };
}
