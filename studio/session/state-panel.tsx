import { useQuery } from "@tanstack/react-query";
import { Pencil } from "virtual:icons";
import type { ReactElement, ReactNode } from "react";
import type { Json } from "turnkeep/protocol";
import { type SessionName } from "../api/queries.ts";
import { snapshotQuery } from "../api/snapshot-queries.ts";
import type { FollowedRun } from "../api/run-follower.ts";
import { Button } from "../ui/button.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";
import type { Viewpoint } from "./viewpoint.ts";

/** The custom state: of the run while it changes it, else of the snapshot. */
export function StatePanel({
  name,
  view: { snapshotId, snapshot },
  live,
  onEdit,
}: {
  readonly name: SessionName;
  readonly view: Viewpoint;
  readonly live: FollowedRun | undefined;
  readonly onEdit: () => void;
}): ReactElement {
  const stored = useQuery({
    ...snapshotQuery(name.agent, snapshotId ?? "", "custom"),
    enabled: snapshotId !== undefined,
  });
  if (live?.custom) {
    return (
      <Shown
        note={<span className="text-info">Live · change {live.custom.revision}</span>}
        value={live.custom.value}
        changed={live.changed}
      />
    );
  }
  if (snapshotId === undefined) {
    return <EmptyView title="No state yet.">It is kept at the end of each turn.</EmptyView>;
  }
  const isCompleted = snapshot?.status === "completed";
  return (
    <QueryView query={stored} what="The state could not be loaded.">
      {({ state }) => (
        <Shown
          note={
            <Button
              small
              onClick={onEdit}
              disabled={!isCompleted}
              title={isCompleted ? "e" : "Only completed snapshots can be continued."}
            >
              <Pencil aria-hidden /> Edit and continue…
            </Button>
          }
          value={state?.custom}
        />
      )}
    </QueryView>
  );
}

function Shown({
  note,
  value,
  changed,
}: {
  readonly note: ReactNode;
  readonly value: Json | undefined;
  readonly changed?: ReadonlyMap<string, number>;
}): ReactElement {
  return (
    <div className="flex flex-col gap-3 p-4" data-testid="state">
      <div className="flex items-center justify-between">{note}</div>
      {value === undefined ? (
        <p className="text-soft">This agent has no state of its own here.</p>
      ) : (
        <JsonTree value={value} name="state" {...(changed && { flashes: changed })} />
      )}
    </div>
  );
}
