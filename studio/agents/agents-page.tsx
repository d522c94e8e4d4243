import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Database, MessageSquarePlus, Smartphone } from "virtual:icons";
import type { ReactElement } from "react";
import { agentsQuery } from "../api/queries.ts";
import type { AgentSummary } from "../api/types.ts";
import { buttonClass } from "../ui/button.tsx";
import { plural } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";

export function AgentsPage(): ReactElement {
  const agents = useQuery(agentsQuery);
  return (
    <Page title="Agents" about={agents.data && plural(agents.data.length, "agent")}>
      <QueryView query={agents} what="The agents could not be loaded.">
        {(all) =>
          all.length === 0 ? (
            <NoAgents />
          ) : (
            <ul className="grid gap-4 p-5 sm:grid-cols-[repeat(auto-fill,minmax(20rem,1fr))]">
              {all.map((agent) => (
                <AgentCard key={agent.name} agent={agent} />
              ))}
            </ul>
          )
        }
      </QueryView>
    </Page>
  );
}

function AgentCard({
  agent: { name, description, hasStore, storeType, metadata },
}: {
  readonly agent: AgentSummary;
}): ReactElement {
  const params = { agent: name };
  return (
    <li className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0">
        <Link
          to="/agents/$agent"
          params={params}
          className="block truncate text-lg font-semibold tracking-tight hover:text-accent"
        >
          {name}
        </Link>
        <p className="mt-0.5 line-clamp-2 min-h-10 text-soft">{description ?? "No description."}</p>
      </div>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-faint">
        <span className="flex items-center gap-1.5">
          {hasStore ? (
            <Database className="size-3.5" aria-hidden />
          ) : (
            <Smartphone className="size-3.5" aria-hidden />
          )}
          {hasStore ? `kept in ${storeType ?? "a store"}` : "state stays with the client"}
        </span>
        {metadata.agent?.abortable === true && <span>can be stopped</span>}
        {metadata.agent?.redacts === true && <span>hides some state</span>}
      </p>
      <div className="mt-auto flex gap-2 border-t border-line pt-3">
        <Link
          to="/agents/$agent/new"
          params={params}
          className={buttonClass({ look: "primary", small: true })}
        >
          <MessageSquarePlus aria-hidden /> Chat
        </Link>
        {hasStore && (
          <Link
            to="/agents/$agent/sessions"
            params={params}
            className={buttonClass({ small: true })}
          >
            Sessions
          </Link>
        )}
        <Link
          to="/agents/$agent"
          params={params}
          search={{ tab: "schemas" }}
          className={buttonClass({ look: "quiet", small: true })}
        >
          Schemas
        </Link>
      </div>
    </li>
  );
}

const EXAMPLE = `import { studio } from "turnkeep/studio";

const support = defineCustomAgent({ name: "support", store }, …);
app.use(toNodeHandler(studio([support])));`;

function NoAgents(): ReactElement {
  return (
    <EmptyView title="No agent is registered.">
      <p>Hand your agents to the Studio; the file that defines them must be imported.</p>
      <pre className="mt-3 overflow-auto rounded-md border border-line bg-sunken p-3 text-left font-mono text-xs">
        {EXAMPLE}
      </pre>
    </EmptyView>
  );
}
