import type { SessionSnapshot } from "../protocol/index.ts";
import { fieldsOf, textOf } from "./answer.ts";
import { checkState } from "./check-update.ts";

/** @throws TurnkeepError INVALID_ARGUMENT when it is no snapshot. */
export function snapshotFrom<Custom>(value: unknown): SessionSnapshot<Custom> {
  const { snapshotId, state } = fieldsOf(value);
  textOf(snapshotId);
  checkState(state);
  return value as SessionSnapshot<Custom>;
}
