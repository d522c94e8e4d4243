import { ArrowLeft } from "virtual:icons";
import type { ReactElement } from "react";
import type { Json } from "turnkeep/protocol";
import type { SessionName } from "../api/queries.ts";
import type { SessionDetail, SnapshotMeta } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { ago, shortId } from "../ui/formats.ts";
import { EmptyView, ErrorView } from "../ui/views.tsx";
import { ChatLog } from "./chat-log.tsx";
import { Composer } from "./composer.tsx";
import { FailureCard } from "./failure-card.tsx";
import { FindBar } from "./find-bar.tsx";
import { InterruptCards } from "./interrupt-cards.tsx";
import { StreamingTurn } from "./streaming-turn.tsx";
import { type SessionRun, textOf, type TurnToSend } from "./use-session-run.ts";
import type { Viewpoint } from "./viewpoint.ts";

/** The talk up to one snapshot, what is being said now, and the box for what comes next. */
export function ChatColumn({
  name,
  session,
  view,
  path,
  latest,
  sessionRun,
  message,
  prompt,
  onPrompt,
  isFinding,
  onFound,
}: {
  readonly name: SessionName;
  readonly session: SessionDetail;
  readonly view: Viewpoint;
  readonly path: readonly SnapshotMeta[];
  /** The newest snapshot, which is not the head when its turn came to nothing. */
  readonly latest: SnapshotMeta | undefined;
  readonly sessionRun: SessionRun;
  readonly message?: number;
  readonly prompt: string;
  readonly onPrompt: (text: string) => void;
  readonly isFinding: boolean;
  readonly onFound: () => void;
}): ReactElement {
  const { run, refusal, send, stop } = sessionRun;
  const { snapshot, snapshotId, isAtHead } = view;
  const shownRun = isAtHead ? run : undefined;
  const isWaiting = snapshot?.finishReason === "interrupted" && snapshot.status === "completed";
  const sendTurn = async (turn: TurnToSend): Promise<void> => {
    const from = isAtHead ? undefined : snapshotId;
    const sent = send({ ...turn, ...(from !== undefined && { from }) }, snapshotId);
    view.choose(undefined);
    // What never reached the server is not lost.
    if ((await sent).runId === undefined) onPrompt(textOf(turn.message));
  };
  const branchFrom = (at: string | undefined, text: string): void => {
    onPrompt(text);
    if (at !== undefined) view.choose(at);
  };
  return (
    <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
      {!isAtHead && snapshot && (
        <PastBar snapshot={snapshot} onBack={() => view.choose(undefined)} />
      )}
      {isFinding && snapshotId !== undefined && (
        <FindBar {...{ name, snapshotId, message }} onShow={view.showMessage} onClose={onFound} />
      )}
      <ChatLog
        {...{ name, path, snapshotId }}
        isLive={shownRun !== undefined}
        {...(message !== undefined && { message })}
        onBranch={branchFrom}
      >
        {shownRun ? (
          <StreamingTurn run={shownRun} agent={name.agent} />
        ) : (
          <Ending
            agent={name.agent}
            view={view}
            latest={latest}
            isWaiting={isWaiting}
            onAnswer={(resume) => void sendTurn({ resume })}
          />
        )}
        {refusal !== undefined && refusal !== null && (
          <ErrorView error={refusal} what="The turn could not start." />
        )}
      </ChatLog>
      <Composer
        draftKey={`${name.agent}/${name.session}`}
        prompt={prompt}
        onPromptTaken={() => onPrompt("")}
        isRunning={run !== undefined || session.isBusy}
        {...(isWaiting && isAtHead && { refusal: "Answer what waits above first." })}
        anchor={`Goes on from ${isAtHead ? "the head" : `snapshot ${shortId(snapshotId ?? "")}, on a new branch`}`}
        onSend={(turn) => void sendTurn(turn)}
        onStop={stop}
      />
    </section>
  );
}

/** What stands below the last message while nothing runs. */
function Ending({
  agent,
  view,
  latest,
  isWaiting,
  onAnswer,
}: {
  readonly agent: string;
  readonly view: Viewpoint;
  readonly latest: SnapshotMeta | undefined;
  readonly isWaiting: boolean;
  readonly onAnswer: (resume: Json) => void;
}): ReactElement {
  const { snapshot, snapshotId, isAtHead } = view;
  return (
    <>
      {snapshotId === undefined && (
        <EmptyView title="Nothing was said yet.">Write the first message below.</EmptyView>
      )}
      <FailureCard snapshot={isAtHead ? (latest ?? snapshot) : snapshot} {...{ agent, view }} />
      {isWaiting && snapshotId !== undefined && (
        <InterruptCards key={snapshotId} {...{ agent, snapshotId, onAnswer }} />
      )}
    </>
  );
}

function PastBar({
  snapshot: { snapshotId, createdAt },
  onBack,
}: {
  readonly snapshot: SnapshotMeta;
  readonly onBack: () => void;
}): ReactElement {
  return (
    <div
      role="status"
      className="flex items-center gap-3 border-b border-line bg-violet-wash px-5 py-1.5 text-violet"
    >
      <p className="flex-1">
        You are looking at <span className="font-mono text-xs">{shortId(snapshotId)}</span> (
        {ago(createdAt)}). Sending starts a new branch.
      </p>
      <Button small onClick={onBack}>
        <ArrowLeft aria-hidden /> Back to head
      </Button>
    </div>
  );
}
