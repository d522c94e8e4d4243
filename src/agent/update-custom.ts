import { create } from "mutative";
import { TurnkeepError } from "../protocol/index.ts";
import { freezeNew } from "./freeze-new.ts";

/** Changes the draft of a custom state in place, or returns the next state. Synchronous. */
export type UpdateCustom<Custom> = (draft: Custom) => Custom | void;

/**
 * The custom state after an update. The current one is never changed; the next one is frozen and shares with it every
 * part that the update left alone. A returned value wins over changes to the draft. The draft is of no use once the
 * update has ended. Where there is no state yet, the update gets `undefined` and returns the first one.
 *
 * The current state is taken to be frozen JSON: one that a store or an earlier update gave. An object without a prototype
 * cannot be changed as a draft, only be replaced by another.
 *
 * @throws TurnkeepError INVALID_ARGUMENT when the update is asynchronous, or makes something that is not plain JSON.
 *   What the update throws itself comes through as it is.
 */
export function updateCustom<Custom>(current: Custom, update: UpdateCustom<Custom>): Custom {
  if (typeof update !== "function") {
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "An update of the custom state must be a function that changes a draft or returns the next state.",
    );
  }
  // Held in an object, the state itself may be anything, even nothing, and drafts in a returned value are resolved.
  const next = create<Holder>({ custom: current }, (holder) => changeHeld(holder, update));
  return next.custom === current ? current : freezeNew(next.custom as Custom, current);
}

type Holder = { custom: unknown };

function changeHeld<Custom>(holder: Holder, update: UpdateCustom<Custom>): void {
  const returned: unknown = update(holder.custom as Custom);
  if (isThenable(returned)) {
    // It fails once it touches the revoked draft again; the error below tells the one who can mend it.
    returned.then(undefined, () => undefined);
    throw new TurnkeepError(
      "INVALID_ARGUMENT",
      "An update of the custom state must be synchronous. Await first, then update with what you got.",
    );
  }
  if (returned !== undefined) holder.custom = returned;
}

type Thenable = {
  then(this: unknown, resolved: undefined, rejected: () => void): unknown;
};

function isThenable(value: unknown): value is Thenable {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<Thenable>).then === "function"
  );
}
