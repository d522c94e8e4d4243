import { Link } from "@tanstack/react-router";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { SnapshotMeta } from "../api/types.ts";
import { dateTime, plural, shortId, tokensOf, turnTime } from "../ui/formats.ts";
import { snapshotStatus, Status } from "../ui/status.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session");

/** Where a turn ended, and what it took. */
export function TurnLine({ snapshot }: { readonly snapshot: SnapshotMeta }): ReactElement {
  const params = route.useParams();
  const search = route.useSearch();
  const { snapshotId, createdAt, usage } = snapshot;
  const { total } = tokensOf(usage);
  const took = turnTime(snapshot);
  return (
    <div
      className="mx-auto flex max-w-3xl items-center gap-3 px-5 py-2 text-xs text-faint"
      title={dateTime(createdAt)}
    >
      <span className="h-px flex-1 bg-line" />
      <Status word={snapshotStatus(snapshot)} compact />
      <Link
        to="/agents/$agent/sessions/$session"
        params={params}
        search={{ ...search, snap: snapshotId }}
        className="font-mono hover:text-accent"
      >
        {shortId(snapshotId)}
      </Link>
      {took !== undefined && <span>{took}</span>}
      {total > 0 && <span>{plural(total, "token")}</span>}
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}
