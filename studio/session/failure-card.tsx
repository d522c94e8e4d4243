import { CircleX } from "lucide-react";
import type { ReactElement } from "react";
import type { SnapshotMeta } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import type { Viewpoint } from "./viewpoint.ts";

const WORDS: Readonly<Record<string, string>> = {
  failed: "This turn failed.",
  aborted: "This turn was stopped.",
  expired: "The worker of this turn went silent.",
};

/** How a turn ended that did not end well, and a way back to where all was well. */
export function FailureCard({
  snapshot,
  view,
}: {
  readonly snapshot: SnapshotMeta | undefined;
  readonly view: Viewpoint;
}): ReactElement | null {
  const { status = "", error, parentId, snapshotId } = snapshot ?? {};
  const words = WORDS[status];
  if (words === undefined) return null;
  return (
    <div className="mx-auto max-w-3xl px-5 py-2">
      <div
        role="alert"
        className="flex items-start gap-3 rounded-lg border border-line bg-bad-wash px-4 py-3"
      >
        <CircleX className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
        <div className="min-w-0 flex-1">
          <p className="font-medium text-bad">{words}</p>
          {error && (
            <p className="text-soft [overflow-wrap:anywhere]">
              {error.message}{" "}
              {error.status !== undefined && (
                <span className="font-mono text-xs">{error.status}</span>
              )}
            </p>
          )}
        </div>
        {parentId !== undefined && snapshotId === view.snapshotId && (
          <Button small onClick={() => view.choose(parentId)}>
            Go on from the last good one
          </Button>
        )}
      </div>
    </div>
  );
}
