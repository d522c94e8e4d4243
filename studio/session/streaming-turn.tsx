import { LoaderCircle } from "virtual:icons";
import type { ReactElement } from "react";
import type { FollowedRun } from "../api/run-follower.ts";
import { MessagePart } from "./message-part.tsx";

/** The turn that is being taken: what it was given, and what it has said so far. */
export function StreamingTurn({
  run,
  agent,
}: {
  readonly run: FollowedRun;
  readonly agent: string;
}): ReactElement {
  const { input, parts, status, phase, error } = run;
  return (
    <div data-testid="live-turn" data-phase={phase} className="mx-auto max-w-3xl px-5">
      {input && (
        <article
          aria-label="Your message"
          className="my-1.5 rounded-lg border border-line bg-surface px-4 py-2.5"
        >
          <div className="mb-0.5 flex h-6 items-center text-xs font-medium text-faint">You</div>
          {input.content.map((part, index) => (
            <MessagePart key={index} part={part} isPlain />
          ))}
        </article>
      )}
      <article aria-label={`Answer of ${agent}`} aria-busy={phase !== "ended"} className="py-1.5">
        <div className="mb-0.5 flex h-6 items-center gap-2 text-xs font-medium text-faint">
          Agent
          {phase !== "ended" && (
            <span className="flex items-center gap-1 text-info">
              <LoaderCircle className="size-3 animate-spin" aria-hidden />
              {phase === "starting" ? "starting" : "working"}
              {typeof status === "string" && ` · ${status}`}
            </span>
          )}
        </div>
        <div className="flex flex-col gap-2">
          {parts.map((part, index) => (
            <MessagePart key={index} part={part} />
          ))}
        </div>
        {error && (
          <p role="alert" className="mt-2 rounded-md bg-bad-wash px-3 py-2 text-bad">
            {error.message}
          </p>
        )}
      </article>
    </div>
  );
}
