import { getRouteApi } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { SessionName } from "../api/queries.ts";
import type { SessionDetail, SnapshotPage } from "../api/types.ts";
import { changePreferences, getPreferences } from "../app/preferences.ts";
import { useKeys } from "../app/use-keys.ts";
import { ChatColumn } from "./chat-column.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { ForkDialog } from "./fork-dialog.tsx";
import { usePanelWidth } from "./panel-width.ts";
import { ResizeHandle } from "./resize-handle.tsx";
import { SidePanels } from "./side-panels.tsx";
import { SnapshotColumn } from "./snapshot-column.tsx";
import { replayRefusal, useReplay } from "./use-replay.ts";
import { useSessionRun } from "./use-session-run.ts";
import { pathTo, useViewpoint } from "./viewpoint.ts";
import { WorkspaceHeader } from "./workspace-header.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session");
const PANELS = ["state", "artifacts", "trace", "details"] as const;

/** A session with its tree, its talk and its state, seen from one snapshot. */
export function Workspace({
  name,
  session,
  tree,
}: {
  readonly name: SessionName;
  readonly session: SessionDetail;
  readonly tree: SnapshotPage;
}): ReactElement {
  const { panel = "state", msg = "" } = route.useSearch();
  const sessionRun = useSessionRun(name, { isBusy: session.isBusy, head: tree.head });
  const { run } = sessionRun;
  const view = useViewpoint(name, { tree, run });
  const replay = useReplay(name, { tree, view, send: sessionRun.send });
  const [dialog, setDialog] = useState<"edit" | "fork">();
  const [prompt, setPrompt] = useState("");
  const [isFinding, setFinding] = useState(false);
  const snapshots = usePanelWidth("snapshots", { usual: 240, least: 160, most: 480 });
  const side = usePanelWidth("side", { usual: 416, least: 280, most: 900 });
  const isCompleted = view.snapshot?.status === "completed";
  useKeys({
    "mod+f": () => setFinding(true),
    "[": () => view.step(1),
    "]": () => view.step(-1),
    t: () => changePreferences({ showTools: !getPreferences().showTools }),
    y: () => void navigator.clipboard.writeText(location.href),
    m: () => view.mark(),
    d: () => view.diff(),
    c: () => {
      const sibling = view.siblingOf();
      if (sibling !== undefined) view.diff(undefined, sibling);
    },
    ".": () => view.openRaw(),
    l: () => view.openTimeline(),
    r: () => {
      const { snapshot } = view;
      if (snapshot && !run && replayRefusal(snapshot) === undefined) replay(snapshot);
    },
    ...(isCompleted && { e: () => setDialog("edit"), f: () => setDialog("fork") }),
    ...Object.fromEntries(
      PANELS.map((one, index) => [String(index + 1), () => view.openPanel(one)]),
    ),
  });
  return (
    <div className="flex h-full min-h-0 flex-col">
      <WorkspaceHeader {...{ name, session, view }} onFind={() => setFinding(true)} />
      <div className="flex min-h-0 flex-1">
        <SnapshotColumn
          {...{ tree, view }}
          width={snapshots.width}
          onDialog={setDialog}
          onReplay={replay}
        />
        <ResizeHandle
          label="Width of the snapshots"
          side="left"
          panel={snapshots}
          className="hidden md:block"
        />
        <ChatColumn
          key={`${view.isAtHead ? "head" : view.snapshotId}`}
          {...{ name, session, view, sessionRun, prompt }}
          path={pathTo(tree.snapshots, view.snapshotId)}
          latest={tree.snapshots.at(-1)}
          {...(/^\d{1,9}$/.test(msg) && { message: Number(msg) })}
          onPrompt={setPrompt}
          isFinding={isFinding}
          onFound={() => setFinding(false)}
        />
        <ResizeHandle
          label="Width of the panel about this snapshot"
          side="right"
          panel={side}
          className="hidden xl:block"
        />
        <SidePanels
          {...{ name, view, run, panel }}
          width={side.width}
          onEdit={() => setDialog("edit")}
        />
      </div>
      {dialog === "edit" && view.snapshotId !== undefined && (
        <EditDialog
          {...{ name, view }}
          snapshotId={view.snapshotId}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === "fork" && view.snapshotId !== undefined && (
        <ForkDialog
          agent={name.agent}
          snapshotId={view.snapshotId}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}
