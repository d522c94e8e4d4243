import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { MessageSquarePlus } from "virtual:icons";
import type { ReactElement } from "react";
import { agentQuery } from "../api/queries.ts";
import type { AgentDetail } from "../api/types.ts";
import { buttonClass } from "../ui/button.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentSchemas } from "./agent-schemas.tsx";
import { AgentTools } from "./agent-tools.tsx";

const route = getRouteApi("/agents/$agent");

export function AgentPage(): ReactElement {
  const { agent: name } = route.useParams();
  const { tab = "overview" } = route.useSearch();
  const navigate = useNavigate();
  const agent = useQuery(agentQuery(name));
  const open = (next: string): void =>
    void navigate({ to: "/agents/$agent", params: { agent: name }, search: { tab: next } });
  return (
    <Page
      title={name}
      about={agent.data?.description}
      actions={
        <>
          {agent.data?.hasStore && (
            <Link to="/agents/$agent/sessions" params={{ agent: name }} className={buttonClass({})}>
              Sessions
            </Link>
          )}
          <Link
            to="/agents/$agent/new"
            params={{ agent: name }}
            className={buttonClass({ look: "primary" })}
          >
            <MessageSquarePlus aria-hidden /> Chat
          </Link>
        </>
      }
    >
      <QueryView query={agent} what={`Agent “${name}” could not be loaded.`}>
        {(detail) => (
          <Tabs
            label="About the agent"
            open={tab}
            onOpen={open}
            tabs={[
              { name: "overview", label: "Overview", content: <Overview agent={detail} /> },
              {
                name: "tools",
                label: `Tools (${detail.tools.length})`,
                content: <AgentTools tools={detail.tools} />,
              },
              { name: "schemas", label: "Schemas", content: <AgentSchemas agent={detail} /> },
            ]}
          />
        )}
      </QueryView>
    </Page>
  );
}

function Overview({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { hasStore, storeType, metadata } = agent;
  const facts: readonly (readonly [string, string])[] = [
    [
      "Sessions",
      hasStore ? `kept in ${storeType ?? "a store"}` : "not kept: the client carries the state",
    ],
    [
      "Stopping",
      metadata.agent?.abortable === true
        ? "its turns can be stopped"
        : "its turns run to their end",
    ],
    [
      "Hidden state",
      metadata.agent?.redacts === true ? "some of its state is never shown" : "nothing is hidden",
    ],
  ];
  return (
    <div className="flex max-w-3xl flex-col gap-5 p-5">
      <dl className="grid grid-cols-[8rem_1fr] gap-y-1.5 rounded-lg border border-line bg-surface p-4">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <section>
        <h2 className="mb-1.5 text-base font-semibold">Metadata</h2>
        <div className="rounded-lg border border-line bg-surface p-3">
          <JsonTree value={metadata} name="metadata" />
        </div>
      </section>
    </div>
  );
}
