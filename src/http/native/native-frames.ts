import { chunkJsonOf, type RunUpdate } from "../../agent/index.ts";
import { type AgentOutputData, encodeSse } from "../../protocol/index.ts";
import type { ClientError } from "../client-error.ts";

/** What an idle stream says; readers pass over it. */
export const PING_FRAME: string = encodeSse({ comment: "" });

/** The first frame: which run it is, and how long to wait before coming back. */
export function runFrame(run: { readonly runId: string; readonly sessionId: string }): string {
  return encodeSse({ event: "run", retry: 1000, data: JSON.stringify(run) });
}

/** One event of the run, under the id that a reader goes on after. */
export function updateFrame(update: RunUpdate): string {
  const { id, seq, type } = update;
  const chunkJson = chunkJsonOf(update);
  const chunk = chunkJson === undefined ? "" : `,"chunk":${chunkJson}`;
  return encodeSse({
    event: "update",
    ...(id !== undefined && { id }),
    data: `{"seq":${seq},"type":"${type}"${chunk}}`,
  });
}

/** The last frame. A stream that ends without one broke off. */
export function resultFrame(output: AgentOutputData<never>): string {
  return encodeSse({ event: "result", data: JSON.stringify(output) });
}

export function errorFrame(error: ClientError): string {
  return encodeSse({ event: "error", data: JSON.stringify(error) });
}
