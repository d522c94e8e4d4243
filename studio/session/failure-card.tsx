import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleX } from "virtual:icons";
import type { ReactElement } from "react";
import { pathOf, sendJson } from "../api/request.ts";
import type { SnapshotMeta } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import type { Viewpoint } from "./viewpoint.ts";

const WORDS: Readonly<Record<string, string>> = {
  failed: "This turn failed.",
  aborted: "This turn was stopped.",
  expired: "The worker of this turn went silent, and no other has taken it over.",
};

/** How a turn ended that did not end well, and a way back to where all was well. */
export function FailureCard({
  agent,
  snapshot,
  view,
}: {
  readonly agent: string;
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
          {parentId === undefined && status !== "aborted" && (
            <p className="text-soft">It is the first of its session: no good one is before it.</p>
          )}
        </div>
        {snapshot && (status === "expired" || snapshotId === view.snapshotId) && (
          <GoOn {...{ agent, snapshot, view }} />
        )}
      </div>
    </div>
  );
}

// A turn that may still be taken over is in the way of the next: it is ended first.
function GoOn({
  agent,
  snapshot: { snapshotId, parentId, status },
  view,
}: {
  readonly agent: string;
  readonly snapshot: SnapshotMeta;
  readonly view: Viewpoint;
}): ReactElement | null {
  const client = useQueryClient();
  const ending = useMutation({
    mutationFn: () => sendJson("POST", `${pathOf("agents", agent, "snapshots", snapshotId)}/abort`),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["sessions"] });
      view.choose(parentId);
    },
  });
  const isSilent = status === "expired";
  if (parentId === undefined && !isSilent) return null;
  return (
    <div className="flex flex-col items-end gap-1">
      <Button
        small
        disabled={ending.isPending}
        title={isSilent ? "Ends this turn, so that another can be sent" : undefined}
        onClick={() => (isSilent ? ending.mutate() : view.choose(parentId))}
      >
        {parentId === undefined ? "End this turn" : "Go on from the last good one"}
      </Button>
      {ending.error && <span className="text-bad">{ending.error.message}</span>}
    </div>
  );
}
