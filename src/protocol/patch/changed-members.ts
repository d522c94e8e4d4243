import type { Json, JsonObject } from "../json.ts";
import { ownMember } from "../own-member.ts";
import { membersOf } from "./members.ts";

/** A member that is not the very same value in both objects; `undefined` where an object lacks it. */
export type ChangedMember = {
  readonly key: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
};

/** The members in which two objects may differ. Values that are the same object are left out, others may still be equal. */
export function changedMembers(before: JsonObject, after: JsonObject): readonly ChangedMember[] {
  const old = membersOf(before);
  const now = membersOf(after);
  const changed: ChangedMember[] = [];
  let oldIndex = 0;
  let nowIndex = 0;

  // A state that was changed by copying keeps its keys in order: walk both lists side by side and look nothing up.
  while (oldIndex < old.keys.length && nowIndex < now.keys.length) {
    const key = old.keys[oldIndex]!;
    if (key === now.keys[nowIndex]) {
      note(changed, { key, before: old.values[oldIndex], after: now.values[nowIndex] });
      oldIndex += 1;
      nowIndex += 1;
    } else if (Object.hasOwn(after, key)) {
      break;
    } else {
      note(changed, { key, before: old.values[oldIndex], after: undefined });
      oldIndex += 1;
    }
  }

  // What is left over may be in any order. No key left in one list was already met in the other.
  for (; oldIndex < old.keys.length; oldIndex += 1) {
    const key = old.keys[oldIndex]!;
    note(changed, { key, before: old.values[oldIndex], after: ownMember(after, key) });
  }
  for (; nowIndex < now.keys.length; nowIndex += 1) {
    const key = now.keys[nowIndex]!;
    if (Object.hasOwn(before, key)) continue;
    note(changed, { key, before: undefined, after: now.values[nowIndex] });
  }
  return changed;
}

function note(changed: ChangedMember[], member: ChangedMember): void {
  if (member.before !== member.after) changed.push(member);
}
