import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { sessionQuery } from "../api/queries.ts";
import { snapshotsQuery } from "../api/snapshot-queries.ts";
import { ApiError } from "../api/request.ts";
import { buttonClass } from "../ui/button.tsx";
import { PageTitle } from "../ui/page.tsx";
import { EmptyView, ErrorView, Skeleton } from "../ui/views.tsx";
import { Workspace } from "./workspace.tsx";

const route = getRouteApi("/agents/$agent/sessions/$session");

export function SessionPage(): ReactElement {
  const name = route.useParams();
  const session = useQuery(sessionQuery(name));
  const tree = useQuery(snapshotsQuery(name));
  if (session.data && tree.data) {
    const key = JSON.stringify([name.agent, name.session]);
    return <Workspace key={key} name={name} session={session.data} tree={tree.data} />;
  }
  const error = session.error ?? tree.error;
  if (error instanceof ApiError && error.code === 404) return <NoSuchSession {...name} />;
  if (error) {
    return (
      <ErrorView error={error} onRetry={() => void session.refetch().then(() => tree.refetch())} />
    );
  }
  return <Skeleton lines={8} />;
}

function NoSuchSession({
  agent,
  session,
}: {
  readonly agent: string;
  readonly session: string;
}): ReactElement {
  return (
    <>
      <PageTitle title="No such session" />
      <EmptyView
        title={`Agent “${agent}” has no session of this name.`}
        action={
          <Link to="/sessions" search={{ q: session }} className={buttonClass({})}>
            Search all agents
          </Link>
        }
      >
        <span className="font-mono text-xs [overflow-wrap:anywhere]">{session}</span>
      </EmptyView>
    </>
  );
}
