import { objectOf, optional } from "../schema/object-of.ts";
import type { Reader } from "../schema/reader.ts";
import { optionalId } from "../schema/scalars.ts";
import { type AgentFinishReason, readFinishReason } from "./agent-finish-reason.ts";

/** A turn is over. That it is there says so; it may be empty. */
export type TurnEnd = {
  readonly snapshotId?: string;
  readonly finishReason?: AgentFinishReason;
};

export const readTurnEnd: Reader<TurnEnd> = objectOf<TurnEnd>({
  snapshotId: optional(optionalId),
  finishReason: optional(readFinishReason),
});
