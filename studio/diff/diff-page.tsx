import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeftRight, ChevronRight } from "virtual:icons";
import type { ReactElement } from "react";
import { snapshotsQuery } from "../api/snapshot-queries.ts";
import type { SnapshotMeta } from "../api/types.ts";
import { useKeys } from "../app/use-keys.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ago, shortId } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Select } from "../ui/select.tsx";
import { snapshotStatus, statusLabel } from "../ui/status.tsx";
import { EmptyView } from "../ui/views.tsx";
import { Compared } from "./compared.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session/diff");

/** What of the two is compared. */
const SCOPES = [
  ["all", "everything"],
  ["state", "state"],
  ["messages", "messages"],
  ["artifacts", "artifacts"],
] as const;

/** What leads from one snapshot to another, wherever they stand in the tree. */
export function DiffPage(): ReactElement {
  const params = route.useParams();
  const search = route.useSearch();
  const { from, to } = search;
  const scope = SCOPES.find(([name]) => name === search.scope)?.[0] ?? "all";
  const navigate = useNavigate();
  const tree = useQuery(snapshotsQuery(params));
  const go = (next: typeof search): void =>
    void navigate({
      to: "/agents/$agent/sessions/$session/diff",
      params,
      search: { ...search, ...next },
      replace: true,
    });
  const swap = (): void => {
    if (from !== undefined && to !== undefined) go({ from: to, to: from });
  };
  useKeys({ s: swap });
  const snapshots = tree.data?.snapshots ?? [];
  return (
    <Page
      title="Diff"
      about={
        <span className="flex flex-wrap items-center gap-2">
          <Chooser
            label="From"
            value={from}
            {...{ snapshots }}
            onChange={(id) => go({ from: id })}
          />
          <ChevronRight className="size-4 text-faint" aria-hidden />
          <Chooser label="To" value={to} {...{ snapshots }} onChange={(id) => go({ to: id })} />
          <Button small disabled={from === undefined || to === undefined} onClick={swap} title="s">
            <ArrowLeftRight aria-hidden /> Swap
          </Button>
        </span>
      }
      actions={
        <>
          <Select
            label="Compare"
            value={scope}
            options={SCOPES}
            onChange={(next) => go({ scope: next })}
          />
          <Link
            to="/agents/$agent/sessions/$session"
            params={params}
            search={to === undefined ? {} : { snap: to }}
            className={buttonClass({})}
          >
            Back to the session
          </Link>
        </>
      }
    >
      <QueryView query={tree} lines={8} what="The snapshots could not be loaded.">
        {(found) =>
          from === undefined || to === undefined ? (
            <EmptyView title="Choose two snapshots.">
              Above, or in the session: mark one with m, then press d on the other.
            </EmptyView>
          ) : (
            <Compared key={`${from}/${to}`} name={params} tree={found} {...{ from, to, scope }} />
          )
        }
      </QueryView>
    </Page>
  );
}

function Chooser({
  label,
  value,
  snapshots,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly snapshots: readonly SnapshotMeta[];
  readonly onChange: (snapshotId: string) => void;
}): ReactElement {
  const isListed = snapshots.some(({ snapshotId }) => snapshotId === value);
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
      className="h-7 rounded-md border border-line-strong bg-surface px-2 font-mono text-xs"
    >
      {!isListed && (
        <option value={value ?? ""}>{value === undefined ? "–" : shortId(value)}</option>
      )}
      {snapshots.map((snapshot) => (
        <option key={snapshot.snapshotId} value={snapshot.snapshotId}>
          {shortId(snapshot.snapshotId)} · {ago(snapshot.createdAt)} ·{" "}
          {statusLabel(snapshotStatus(snapshot)).toLowerCase()}
        </option>
      ))}
    </select>
  );
}
