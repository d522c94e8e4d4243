import type { ReactElement } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { withCommandKey } from "../ui/key-names.ts";

const SHEET: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    "Everywhere",
    [
      [withCommandKey("K"), "Search and commands"],
      ["?", "This sheet"],
      ["g a", "Agents"],
      ["g s", "Sessions"],
      ["g r", "Runs"],
      ["g t", "Traces"],
      ["g o", "Open by id"],
    ],
  ],
  [
    "Sessions",
    [
      ["/", "Search"],
      ["j k", "Next, previous"],
      ["x", "Select"],
      ["Enter", "Open"],
    ],
  ],
  [
    "In a session",
    [
      ["Enter", "Send"],
      [withCommandKey("Enter"), "Send in the background"],
      [withCommandKey("."), "Stop"],
      [withCommandKey("F"), "Find in the messages"],
      ["[ ]", "Older, newer snapshot"],
      ["e", "Edit state and continue"],
      ["f", "Fork to a new session"],
      ["r", "Take this turn again, on a branch"],
      ["c", "Compare with what its turn led to another time"],
      ["m", "Mark for a diff"],
      ["d", "Diff with the marked one, or the parent"],
      ["y", "Copy a link to here"],
      [".", "Raw JSON"],
      ["l", "Timeline"],
      ["t", "Tool calls on or off"],
      ["1 – 4", "State, artifacts, trace, details"],
    ],
  ],
  ["In a diff", [["s", "Swap the two"]]],
  [
    "In an artifact's history",
    [
      ["j k", "Older, newer version"],
      ["d", "Changes on or off"],
    ],
  ],
  ["In raw JSON", [["c", "Copy"]]],
];

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={onClose}>
      <div className="gap-8 md:columns-2">
        {SHEET.map(([place, keys]) => (
          <section key={place} className="mb-4 break-inside-avoid">
            <h3 className="mb-1 text-xs font-medium text-faint">{place}</h3>
            <dl className="grid grid-cols-[7rem_1fr] gap-y-1">
              {keys.map(([key, what]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-xs">
                      {key}
                    </kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
