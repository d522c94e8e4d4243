import type { LocalAgent } from "turnkeep";

export interface Reading {
  /** Every event's number, in the order it was seen. */
  readonly seqs: readonly number[];
  readonly types: readonly string[];
  /** How often it came back. */
  readonly visits: number;
}

/** Reads a run until it ends, leaving in mid-stream and coming back where it left. */
export async function readInPieces(
  agent: Pick<LocalAgent, "attach">,
  runId: string,
  randomBelow: (bound: number) => number,
): Promise<Reading> {
  const seqs: number[] = [];
  const types: string[] = [];
  for (let visits = 1; ; visits += 1) {
    let patience = 1 + randomBelow(25);
    for await (const { seq, type } of agent.attach(runId, { after: seqs.at(-1) ?? 0 })) {
      seqs.push(seq);
      types.push(type);
      patience -= 1;
      if (patience === 0) break;
    }
    if (types.at(-1) === "runEnd") return { seqs, types, visits };
  }
}
