import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { snapshotsQuery } from "../api/snapshot-queries.ts";
import type { SnapshotPage } from "../api/types.ts";
import { buttonClass } from "../ui/button.tsx";
import { count, duration, plural, shortId, tokensOf, turnMs } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Select } from "../ui/select.tsx";
import { EmptyView } from "../ui/views.tsx";
import { type Money, useMoney } from "../ui/use-money.ts";
import { Timeline } from "./timeline.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session/timeline");

const SCALES = [
  ["work", "pauses cut short"],
  ["time", "as time went by"],
] as const;

/** The turns of a session over time, of all its branches. */
export function TimelinePage(): ReactElement {
  const params = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate();
  const tree = useQuery(snapshotsQuery(params));
  const { snap } = search;
  const { money } = useMoney();
  const go = (change: typeof search): void =>
    void navigate({
      to: "/agents/$agent/sessions/$session/timeline",
      params,
      search: { ...search, ...change },
      replace: true,
    });
  return (
    <Page
      title="Timeline"
      about={tree.data && `session ${shortId(params.session)} · ${totalsOf(tree.data, money)}`}
      actions={
        <>
          <Select
            label="Scale"
            value={search.scale === "time" ? "time" : "work"}
            options={SCALES}
            onChange={(scale) => go({ scale })}
          />
          <Link
            to="/agents/$agent/sessions/$session"
            params={params}
            search={snap === undefined ? {} : { snap }}
            className={buttonClass({})}
          >
            {snap === undefined ? "Back to the session" : "Open the snapshot"}
          </Link>
        </>
      }
    >
      <QueryView query={tree} lines={10} what="The turns could not be loaded.">
        {({ snapshots }) =>
          snapshots.length === 0 ? (
            <EmptyView title="Nothing was kept yet.">
              Each turn is shown once it has begun.
            </EmptyView>
          ) : (
            <Timeline
              snapshots={snapshots}
              cutsPauses={search.scale !== "time"}
              chosen={snap}
              onChoose={(snapshotId) => go({ snap: snapshotId })}
            />
          )
        }
      </QueryView>
    </Page>
  );
}

function totalsOf({ snapshots, total }: SnapshotPage, money: Money["money"]): string {
  const turns = snapshots.filter(({ event }) => event === "turn-end");
  const worked = turns.reduce((sum, turn) => sum + (turnMs(turn) ?? 0), 0);
  const tokens = turns.reduce((sum, { usage }) => sum + tokensOf(usage).total, 0);
  const costs = turns.flatMap(({ cost }) => cost ?? []);
  return [
    plural(turns.length, "turn"),
    `${duration(worked)} in all`,
    tokens > 0 && plural(tokens, "token"),
    money(costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : undefined),
    total > snapshots.length && `the first ${count(snapshots.length)} of ${count(total)} snapshots`,
  ]
    .filter(Boolean)
    .join(" · ");
}
