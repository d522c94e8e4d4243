import type { AgentStreamChunk } from "../protocol/index.ts";
import type { RunUpdate } from "./client-view.ts";

/** An update whose chunk is still the JSON that it was written as. Most are passed on without anybody looking into them. */
export class HeldUpdate implements RunUpdate {
  readonly id?: string;
  readonly seq: number;
  readonly type = "chunk";
  readonly chunkJson: string;

  constructor(seq: number, chunkJson: string, id: string | undefined) {
    this.seq = seq;
    this.chunkJson = chunkJson;
    if (id !== undefined) this.id = id;
  }

  get chunk(): AgentStreamChunk {
    return JSON.parse(this.chunkJson) as AgentStreamChunk;
  }
}

/** @internal The JSON of the update's chunk; `undefined` when it has none. */
export function chunkJsonOf(update: RunUpdate): string | undefined {
  if (update instanceof HeldUpdate) return update.chunkJson;
  return update.chunk && JSON.stringify(update.chunk);
}
