import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Braces, File, FileCode, FileText, Globe, Image } from "virtual:icons";
import { lazy, type ReactElement, Suspense } from "react";
import type { Artifact } from "turnkeep/protocol";
import { snapshotQuery } from "../api/snapshot-queries.ts";
import { buttonClass } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { bytes } from "../ui/formats.ts";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView, Skeleton } from "../ui/views.tsx";
import { type ArtifactKind, kindOf, sizeOf } from "./artifact-kind.ts";
import type { Icon } from "../ui/icon.tsx";

const ArtifactView = lazy(async () => ({
  default: (await import("./artifact-view.tsx")).ArtifactView,
}));

const ICONS: Readonly<Record<ArtifactKind, Icon>> = {
  text: FileText,
  markdown: FileText,
  code: FileCode,
  json: Braces,
  image: Image,
  html: Globe,
  audio: File,
  video: File,
  other: File,
};

const route = getRouteApi("/agents/$agent/sessions/$session");

/** The artifacts of a snapshot, and the one that is looked at. */
export function ArtifactPanel({
  agent,
  snapshotId,
}: {
  readonly agent: string;
  readonly snapshotId: string | undefined;
}): ReactElement {
  const snapshot = useQuery({
    ...snapshotQuery(agent, snapshotId ?? "", "artifacts"),
    enabled: snapshotId !== undefined,
  });
  if (snapshotId === undefined) return <EmptyView title="No artifacts yet." />;
  return (
    <QueryView query={snapshot} what="The artifacts could not be loaded.">
      {({ state }) => <Chooser {...{ agent, snapshotId }} artifacts={state?.artifacts ?? []} />}
    </QueryView>
  );
}

function Chooser({
  agent,
  snapshotId,
  artifacts,
}: {
  readonly agent: string;
  readonly snapshotId: string;
  readonly artifacts: readonly Artifact[];
}): ReactElement {
  const search = route.useSearch();
  const params = route.useParams();
  const navigate = useNavigate();
  if (artifacts.length === 0) {
    return <EmptyView title="No artifacts.">What the agent makes is shown here.</EmptyView>;
  }
  const found = artifacts.findIndex(({ name }, index) => (name ?? String(index)) === search.art);
  const index = Math.max(found, 0);
  const shown = artifacts[index];
  const open = (art: string): void =>
    void navigate({
      to: "/agents/$agent/sessions/$session",
      params,
      search: { ...search, art },
      replace: true,
    });
  return (
    <div className="flex h-full flex-col">
      <ul
        aria-label="Artifacts"
        className="max-h-48 shrink-0 overflow-auto border-b border-line p-2"
      >
        {artifacts.map((artifact, at) => {
          const name = artifact.name ?? String(at);
          const Icon = ICONS[kindOf(artifact)];
          return (
            <li key={name}>
              <button
                type="button"
                aria-current={at === index}
                onClick={() => open(name)}
                className={classNames(
                  "flex w-full items-center gap-2 rounded-md px-2 py-1 text-left",
                  at === index ? "bg-accent-wash font-medium text-accent" : "hover:bg-hover",
                )}
              >
                <Icon className="size-3.5 shrink-0" aria-hidden />
                <span className="truncate">{name}</span>
                <span className="ml-auto shrink-0 text-xs font-normal text-faint">
                  {bytes(sizeOf(artifact))}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <div className="min-h-0 flex-1">
        <Suspense fallback={<Skeleton />}>
          {shown && (
            <ArtifactView
              key={`${snapshotId}/${index}`}
              {...{ agent, snapshotId, index }}
              artifact={shown}
              actions={
                shown.name !== undefined && (
                  <Link
                    to="/agents/$agent/sessions/$session/artifact"
                    params={params}
                    search={{ art: shown.name, snap: snapshotId }}
                    className={buttonClass({ small: true })}
                  >
                    History
                  </Link>
                )
              }
            />
          )}
        </Suspense>
      </div>
    </div>
  );
}
