import { Link } from "@tanstack/react-router";
import type { ReactElement, ReactNode } from "react";
import type { SessionName } from "../api/queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { CopyId } from "../ui/copy-id.tsx";
import { count, dateTime, tokensOf } from "../ui/formats.ts";
import { snapshotStatus, Status } from "../ui/status.tsx";
import { useMoney } from "../ui/use-money.ts";
import { EmptyView } from "../ui/views.tsx";
import type { Viewpoint } from "./viewpoint.ts";

export function DetailsPanel({
  name,
  view: { snapshot },
}: {
  readonly name: SessionName;
  readonly view: Viewpoint;
}): ReactElement {
  const { money, hasPrices } = useMoney();
  if (snapshot === undefined) return <EmptyView title="Nothing was kept yet." />;
  const { snapshotId, parentId, runId, createdAt, updatedAt, usage, finishReason } = snapshot;
  const { input, output } = tokensOf(usage);
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Session", <CopyId key="session" id={name.session} label="session id" />],
    ["Snapshot", <CopyId key="snapshot" id={snapshotId} label="snapshot id" />],
    [
      "Parent",
      parentId === undefined ? "none" : <CopyId key="parent" id={parentId} label="parent id" />,
    ],
    ["Run", runId === undefined ? "none" : <CopyId key="run" id={runId} label="run id" />],
    ["Status", <Status key="status" word={snapshotStatus(snapshot)} />],
    ["Finish reason", finishReason ?? "–"],
    ["Begun", dateTime(createdAt)],
    ["Kept", updatedAt === undefined ? "–" : dateTime(updatedAt)],
    ["Messages", count(snapshot.messageCount ?? 0)],
    ["Artifacts", count(snapshot.artifactCount ?? 0)],
    ["Tokens in", count(input)],
    ["Tokens out", count(output)],
    ...(hasPrices ? [["Cost", money(snapshot.cost) ?? "not known"] as const] : []),
  ];
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-[7rem_1fr] items-center gap-y-1.5">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-soft">{label}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
      <Link
        to="/agents/$agent/sessions/$session/raw"
        params={name}
        search={{ snap: snapshotId }}
        className={`${buttonClass({ small: true })} self-start`}
      >
        Raw JSON
      </Link>
    </div>
  );
}
