import type { ReactElement } from "react";
import { ArtifactPanel } from "../artifacts/artifact-panel.tsx";
import type { SessionName } from "../api/queries.ts";
import type { FollowedRun } from "../api/run-follower.ts";
import { TracePanel } from "../traces/trace-panel.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { StatePanel } from "./state-panel.tsx";
import type { Viewpoint } from "./viewpoint.ts";

/** What else there is to see of a snapshot beside its messages. */
export function SidePanels({
  name,
  view,
  run,
  panel,
  width,
  onEdit,
}: {
  readonly name: SessionName;
  readonly view: Viewpoint;
  readonly run: FollowedRun | undefined;
  readonly panel: string;
  readonly width: number;
  readonly onEdit: () => void;
}): ReactElement {
  const live = view.isAtHead ? run : undefined;
  const artifacts = view.snapshot?.artifactCount ?? 0;
  return (
    <aside
      aria-label="About this snapshot"
      className="hidden shrink-0 bg-surface xl:block"
      style={{ width, maxWidth: "50vw" }}
    >
      <Tabs
        label="About this snapshot"
        open={panel}
        onOpen={view.openPanel}
        tabs={[
          {
            name: "state",
            label: "State",
            content: <StatePanel {...{ name, view, live, onEdit }} />,
          },
          {
            name: "artifacts",
            label: artifacts > 0 ? `Artifacts (${artifacts})` : "Artifacts",
            content: <ArtifactPanel agent={name.agent} snapshotId={view.snapshotId} />,
          },
          { name: "trace", label: "Trace", content: <TracePanel snapshotId={view.snapshotId} /> },
          { name: "details", label: "Details", content: <DetailsPanel {...{ name, view }} /> },
        ]}
      />
    </aside>
  );
}
