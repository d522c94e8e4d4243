import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactElement, type ReactNode, Suspense } from "react";
import type { Artifact } from "turnkeep/protocol";
import { type ArtifactVersion, snapshotQuery } from "../api/snapshot-queries.ts";
import { languageOf, textOf } from "../artifacts/artifact-kind.ts";
import { TextDiff } from "../diff/text-diff.tsx";
import { Button } from "../ui/button.tsx";
import { shortId } from "../ui/formats.ts";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView, Skeleton } from "../ui/views.tsx";

const ArtifactView = lazy(async () => ({
  default: (await import("../artifacts/artifact-view.tsx")).ArtifactView,
}));

/** One version: what it is, or what it changed. */
export function VersionView({
  agent,
  version,
  before,
  isFirst,
  view,
  onToggle,
}: {
  readonly agent: string;
  readonly version: ArtifactVersion;
  /** The one before it, if it is loaded. */
  readonly before: ArtifactVersion | undefined;
  readonly isFirst: boolean;
  readonly view: "content" | "changes";
  readonly onToggle: () => void;
}): ReactElement {
  const toggle = (
    <Button small onClick={onToggle} title="d">
      {view === "changes" ? "Show it whole" : "Show changes"}
    </Button>
  );
  if (view === "changes") {
    return (
      <div className="flex flex-col gap-3 p-4">
        <div className="flex items-center justify-between">
          <p className="text-soft">
            {before && `From ${shortId(before.snapshotId)} to ${shortId(version.snapshotId)}`}
          </p>
          {toggle}
        </div>
        {before ? (
          <Changes {...{ agent, before }} after={version} />
        ) : (
          <p className="text-soft">
            {isFirst ? "This is the first version." : "The version before it is not loaded yet."}
          </p>
        )}
      </div>
    );
  }
  return (
    <OneVersion {...{ agent, version }}>
      {(artifact) =>
        artifact === undefined ? (
          <EmptyView title="It was taken away here." action={toggle} />
        ) : (
          <Suspense fallback={<Skeleton />}>
            <ArtifactView
              {...{ agent, artifact }}
              snapshotId={version.snapshotId}
              index={version.index ?? 0}
              actions={toggle}
            />
          </Suspense>
        )
      }
    </OneVersion>
  );
}

function Changes({
  agent,
  before,
  after,
}: {
  readonly agent: string;
  readonly before: ArtifactVersion;
  readonly after: ArtifactVersion;
}): ReactElement {
  return (
    <OneVersion agent={agent} version={before}>
      {(old) => (
        <OneVersion agent={agent} version={after}>
          {(young) => {
            const [from, to] = [old, young].map((one) => (one ? textOf(one) : ""));
            const name = young?.name ?? old?.name ?? "artifact";
            return from === undefined || to === undefined ? (
              <p className="text-soft">It is no text, so its changes cannot be shown.</p>
            ) : (
              <TextDiff label={name} language={languageOf(name)} before={from} after={to} />
            );
          }}
        </OneVersion>
      )}
    </OneVersion>
  );
}

/** The artifact as it was; nothing where it was taken away. */
function OneVersion({
  agent,
  version: { snapshotId, index },
  children,
}: {
  readonly agent: string;
  readonly version: ArtifactVersion;
  readonly children: (artifact: Artifact | undefined) => ReactNode;
}): ReactElement {
  const snapshot = useQuery({
    ...snapshotQuery(agent, snapshotId, "artifacts"),
    enabled: index !== undefined,
  });
  if (index === undefined) return <>{children(undefined)}</>;
  return (
    <QueryView query={snapshot} what="The version could not be loaded.">
      {({ state }) => children(state?.artifacts?.[index])}
    </QueryView>
  );
}
