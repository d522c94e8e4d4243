import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactElement, useEffect, useState } from "react";
import { rememberInput } from "../api/follow-session.ts";
import { agentQuery } from "../api/queries.ts";
import { RunFollower } from "../api/run-follower.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView, ErrorView } from "../ui/views.tsx";
import { CarriedChat } from "./carried-chat.tsx";
import { Composer } from "./composer.tsx";
import { StreamingTurn } from "./streaming-turn.tsx";
import { bodyOf, textOf, type TurnToSend, useFollowed } from "./use-session-run.ts";

const route = getRouteApi("/agents/$agent/new");

/** A conversation that has no name until the agent has answered. */
export function NewSessionPage(): ReactElement {
  const { agent: name } = route.useParams();
  const agent = useQuery(agentQuery(name));
  return (
    <Page title={`Talk to ${name}`} about={agent.data?.description}>
      <QueryView query={agent}>
        {({ hasStore }) => (hasStore ? <FirstTurn agent={name} /> : <CarriedChat agent={name} />)}
      </QueryView>
    </Page>
  );
}

function FirstTurn({ agent }: { readonly agent: string }): ReactElement {
  const { prompt: asked = "" } = route.useSearch();
  const navigate = useNavigate();
  const [follower, setFollower] = useState<RunFollower>();
  const [refusal, setRefusal] = useState<unknown>();
  const [prompt, setPrompt] = useState(asked);
  const run = useFollowed(follower);
  const { sessionId: session, runId } = run ?? {};
  useEffect(() => {
    if (follower === undefined || session === undefined || runId === undefined) return;
    const { input } = follower.run;
    rememberInput(runId, { ...(input && { input }), base: null });
    // The page of the session joins the run by itself.
    follower.leave();
    void navigate({
      to: "/agents/$agent/sessions/$session",
      params: { agent, session },
      replace: true,
    });
  }, [follower, session, runId, agent, navigate]);
  const send = (turn: TurnToSend): void => {
    const next = new RunFollower();
    setFollower(next);
    setRefusal(undefined);
    const known = { ...(turn.message && { input: turn.message }), base: null };
    next.execute(agent, bodyOf(undefined, turn), known).catch((error: unknown) => {
      setRefusal(error);
      setFollower(undefined);
      setPrompt(textOf(turn.message));
    });
  };
  return (
    <div className="flex h-full flex-col">
      <div className="min-h-0 flex-1 overflow-auto">
        {run ? (
          <StreamingTurn run={run} agent={agent} />
        ) : (
          <EmptyView title="A new conversation">It is kept from your first message on.</EmptyView>
        )}
        {refusal !== undefined && <ErrorView error={refusal} what="The turn could not start." />}
      </div>
      <Composer
        draftKey={`${agent}/`}
        prompt={prompt}
        onPromptTaken={() => setPrompt("")}
        isRunning={run !== undefined}
        anchor="Starts a new session"
        onSend={send}
        onStop={() => {}}
      />
    </div>
  );
}
