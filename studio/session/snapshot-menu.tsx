import { Ellipsis } from "virtual:icons";
import { DropdownMenu } from "radix-ui";
import type { ReactElement } from "react";
import type { SnapshotMeta } from "../api/types.ts";
import { type Replay, replayRefusal } from "./use-replay.ts";
import type { Viewpoint } from "./viewpoint.ts";

/** What can be done with a snapshot. What cannot says why. */
export function SnapshotMenu({
  snapshot,
  view,
  onDialog,
  onReplay,
}: {
  readonly snapshot: SnapshotMeta;
  readonly view: Viewpoint;
  readonly onDialog: (dialog: "edit" | "fork") => void;
  readonly onReplay: Replay;
}): ReactElement {
  const { snapshotId, parentId, status } = snapshot;
  const refusal =
    status === "completed"
      ? undefined
      : `It is ${status ?? "not there"}: only completed ones can be continued.`;
  const sibling = view.siblingOf(snapshotId);
  const open = (dialog: "edit" | "fork"): void => {
    view.choose(snapshotId);
    onDialog(dialog);
  };
  const items: readonly (readonly [string, string, () => void, string | undefined])[] = [
    ["Continue from here", "", () => view.choose(snapshotId), refusal],
    ["Edit state and continue…", "e", () => open("edit"), refusal],
    ["Fork to a new session…", "f", () => open("fork"), refusal],
    ["Take this turn again", "r", () => onReplay(snapshot), replayRefusal(snapshot)],
    ["Take it again three times", "", () => onReplay(snapshot, 3), replayRefusal(snapshot)],
    [
      "Compare with its sibling",
      "c",
      () => view.diff(snapshotId, sibling),
      sibling === undefined ? "It has none. Take its turn again to get one." : undefined,
    ],
    ["Mark for a diff", "m", () => view.mark(snapshotId), undefined],
    [
      "Diff",
      "d",
      () => view.diff(snapshotId),
      (parentId ?? view.marked) ? undefined : "It has no parent, and nothing is marked.",
    ],
    ["Raw JSON", ".", () => view.openRaw(snapshotId), undefined],
    ["Copy id", "", () => void navigator.clipboard.writeText(snapshotId), undefined],
    ...(refusal !== undefined && parentId !== undefined
      ? [["Continue from its parent", "", () => view.choose(parentId), undefined] as const]
      : []),
  ];
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        aria-label="What to do with this snapshot"
        onClick={(event) => event.stopPropagation()}
        className="flex size-6 shrink-0 items-center justify-center rounded text-faint opacity-0 group-hover:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100"
      >
        <Ellipsis className="size-4" aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          className="z-50 min-w-56 rounded-md border border-line bg-surface p-1 shadow-lg"
          onClick={(event) => event.stopPropagation()}
        >
          {items.map(([label, key, act, why]) => (
            <DropdownMenu.Item
              key={label}
              disabled={why !== undefined}
              title={why}
              onSelect={act}
              className="flex items-center justify-between gap-6 rounded px-2 py-1 outline-none data-disabled:text-faint data-highlighted:bg-accent-wash data-highlighted:text-accent"
            >
              {label}
              {key !== "" && <kbd className="font-mono text-xs text-faint">{key}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
