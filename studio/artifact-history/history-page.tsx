import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { type ArtifactVersion, artifactHistoryQuery } from "../api/snapshot-queries.ts";
import { useKeys } from "../app/use-keys.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { ago, bytes, dateTime, plural, shortId } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";
import { VersionView } from "./version-view.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session/artifact");

/** The versions of one artifact on the way to a snapshot. */
export function HistoryPage(): ReactElement {
  const params = route.useParams();
  const { art = "", snap = "" } = route.useSearch();
  return (
    <Page
      title={art === "" ? "Artifact" : art}
      about={
        snap !== "" && (
          <>
            of session {shortId(params.session)}, on the way to {shortId(snap)}
          </>
        )
      }
      actions={
        <Link
          to="/agents/$agent/sessions/$session"
          params={params}
          search={{ snap, panel: "artifacts", art }}
          className={buttonClass({})}
        >
          Back to the session
        </Link>
      }
    >
      {art === "" || snap === "" ? (
        <EmptyView title="Choose an artifact.">Its history is behind it, in the session.</EmptyView>
      ) : (
        <History agent={params.agent} art={art} snap={snap} />
      )}
    </Page>
  );
}

function History({
  agent,
  art,
  snap,
}: {
  readonly agent: string;
  readonly art: string;
  readonly snap: string;
}): ReactElement {
  const history = useInfiniteQuery(artifactHistoryQuery(agent, snap, art));
  return (
    <QueryView query={history} what="The history could not be loaded.">
      {({ pages }) => {
        const versions = pages.flatMap((page) => page.versions);
        const more = history.hasNextPage && (
          <Button
            small
            className="m-2"
            disabled={history.isFetchingNextPage}
            onClick={() => void history.fetchNextPage()}
          >
            Look further back
          </Button>
        );
        if (versions.length > 0) return <Versions {...{ agent, versions, more }} />;
        return (
          <EmptyView title="No version was found." action={more}>
            {history.hasNextPage
              ? "Not all of the branch was looked at yet."
              : "No snapshot of this branch has an artifact of this name."}
          </EmptyView>
        );
      }}
    </QueryView>
  );
}

function Versions({
  agent,
  versions,
  more,
}: {
  readonly agent: string;
  readonly versions: readonly ArtifactVersion[];
  readonly more: ReactElement | false;
}): ReactElement {
  const params = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const found = versions.findIndex(({ snapshotId }) => snapshotId === search.version);
  const at = Math.max(found, 0);
  const view = search.view === "changes" ? "changes" : "content";
  const go = (change: typeof search): void =>
    void navigate({
      to: "/agents/$agent/sessions/$session/artifact",
      params,
      search: { ...search, ...change },
      replace: true,
    });
  const step = (by: number): void => {
    const next = versions[at + by];
    if (next) go({ version: next.snapshotId });
  };
  const toggle = (): void => go({ view: view === "changes" ? "content" : "changes" });
  useKeys({ j: () => step(1), k: () => step(-1), d: toggle });
  const version = versions[at];
  return (
    <div className="flex h-full min-h-0 flex-col md:flex-row">
      <nav
        aria-label="Versions, newest first"
        className="max-h-48 w-full shrink-0 overflow-auto border-line bg-surface p-2 md:max-h-full md:w-60 md:border-r"
      >
        <p className="px-2 py-1 text-xs font-medium text-faint">
          {plural(versions.length, "version")}
          {more !== false && ", and older ones"}
        </p>
        <ul>
          {versions.map((one, index) => (
            <li key={one.snapshotId}>
              <VersionButton
                version={one}
                isShown={index === at}
                onOpen={() => go({ version: one.snapshotId })}
              />
            </li>
          ))}
        </ul>
        {more}
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-auto">
        {version && (
          <VersionView
            key={version.snapshotId}
            {...{ agent, version, view }}
            before={versions[at + 1]}
            isFirst={at === versions.length - 1 && more === false}
            onToggle={toggle}
          />
        )}
      </div>
    </div>
  );
}

function VersionButton({
  version: { snapshotId, createdAt, bytes: size },
  isShown,
  onOpen,
}: {
  readonly version: ArtifactVersion;
  readonly isShown: boolean;
  readonly onOpen: () => void;
}): ReactElement {
  return (
    <button
      type="button"
      aria-current={isShown}
      onClick={onOpen}
      title={dateTime(createdAt)}
      className={classNames(
        "flex w-full items-center gap-2 rounded-md px-2 py-1 text-left",
        isShown ? "bg-accent-wash font-medium text-accent" : "hover:bg-hover",
      )}
    >
      <span className="font-mono text-xs">{shortId(snapshotId)}</span>
      <span className="text-xs font-normal text-faint">{ago(createdAt)}</span>
      <span className="ml-auto text-xs font-normal text-faint">
        {size === undefined ? "taken away" : bytes(size)}
      </span>
    </button>
  );
}
