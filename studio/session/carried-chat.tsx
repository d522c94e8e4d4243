import { type ReactElement, useState } from "react";
import type { Json, Message } from "turnkeep/protocol";
import { RunFollower } from "../api/run-follower.ts";
import { Button } from "../ui/button.tsx";
import { EmptyView, ErrorView } from "../ui/views.tsx";
import { Composer } from "./composer.tsx";
import { MessageView } from "./message-view.tsx";
import { StreamingTurn } from "./streaming-turn.tsx";
import { bodyOf, type TurnToSend, useFollowed } from "./use-session-run.ts";

interface Carried {
  readonly messages: readonly Message[];
  readonly sessionState?: Json;
}

const EMPTY: Carried = { messages: [] };

/** A conversation with an agent that keeps nothing: this tab carries its state from turn to turn. */
export function CarriedChat({ agent }: { readonly agent: string }): ReactElement {
  const [carried, setCarried] = useCarried(agent);
  const [follower, setFollower] = useState<RunFollower>();
  const [refusal, setRefusal] = useState<unknown>();
  const run = useFollowed(follower);
  const send = async (turn: TurnToSend): Promise<void> => {
    const next = new RunFollower();
    setFollower(next);
    setRefusal(undefined);
    const { sessionState } = carried;
    const body = {
      ...bodyOf(undefined, turn),
      ...(sessionState !== undefined && { init: { sessionState } }),
    };
    const known = { ...(turn.message && { input: turn.message }), wantsMessages: true };
    try {
      await next.execute(agent, body, known);
      // What was heard last is shown with the next frame.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const { messages = [], sessionState: state, error } = next.run;
      if (error) throw new Error(error.message);
      setCarried({ messages, ...(state !== undefined && { sessionState: state }) });
    } catch (error) {
      setRefusal(error);
    }
    setFollower(undefined);
  };
  return (
    <div className="flex h-full flex-col">
      <p className="flex items-center gap-3 border-b border-line bg-info-wash px-5 py-1.5 text-info">
        <span className="flex-1">
          This agent has no store. The conversation lives in this tab only.
        </span>
        <Button small disabled={carried.messages.length === 0} onClick={() => setCarried(EMPTY)}>
          Start over
        </Button>
      </p>
      <div className="min-h-0 flex-1 overflow-auto">
        {carried.messages.length === 0 && !run && <EmptyView title="Nothing was said yet." />}
        {carried.messages.map((message, index) => (
          <MessageView
            key={index}
            message={message}
            index={index}
            canBranch={false}
            onBranch={() => {}}
          />
        ))}
        {run && <StreamingTurn run={run} agent={agent} />}
        {refusal !== undefined && <ErrorView error={refusal} what="The turn failed." />}
      </div>
      <Composer
        draftKey={`${agent}/`}
        prompt=""
        onPromptTaken={() => {}}
        isRunning={run !== undefined}
        anchor="Goes on from what this tab carries"
        canDetach={false}
        onSend={(turn) => void send(turn)}
        onStop={() => follower?.leave()}
      />
    </div>
  );
}

function useCarried(agent: string): readonly [Carried, (carried: Carried) => void] {
  const place = `carried:${agent}`;
  const [carried, setCarried] = useState<Carried>(() => {
    try {
      return { ...EMPTY, ...(JSON.parse(sessionStorage.getItem(place) ?? "{}") as Carried) };
    } catch {
      return EMPTY;
    }
  });
  const change = (next: Carried): void => {
    sessionStorage.setItem(place, JSON.stringify(next));
    setCarried(next);
  };
  return [carried, change];
}
