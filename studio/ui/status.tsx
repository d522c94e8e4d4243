import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  GitBranch,
  Hourglass,
  Pencil,
  Play,
  TriangleAlert,
} from "virtual:icons";
import type { ReactElement } from "react";
import type { SessionSummary, SnapshotMeta } from "../api/types.ts";
import { classNames } from "./class-names.ts";
import type { Icon } from "./icon.tsx";

export type StatusWord =
  | "running"
  | "queued"
  | "open"
  | "waiting"
  | "done"
  | "failed"
  | "aborted"
  | "expired"
  | "edited"
  | "forked"
  | "empty";

const LOOKS: Readonly<Record<StatusWord, readonly [Icon, string, string]>> = {
  running: [Play, "text-info bg-info-wash", "Running"],
  queued: [Hourglass, "text-info bg-info-wash", "Queued"],
  open: [Clock, "text-soft bg-sunken", "Open"],
  waiting: [CirclePause, "text-warn bg-warn-wash", "Waiting for you"],
  done: [CircleCheck, "text-good bg-good-wash", "Done"],
  failed: [CircleX, "text-bad bg-bad-wash", "Failed"],
  aborted: [Ban, "text-soft bg-sunken", "Aborted"],
  expired: [TriangleAlert, "text-warn bg-warn-wash", "Expired"],
  edited: [Pencil, "text-violet bg-violet-wash", "Edited"],
  forked: [GitBranch, "text-violet bg-violet-wash", "Forked"],
  empty: [CircleDashed, "text-soft bg-sunken", "Empty"],
};

/** A status as picture, word and colour, so that none of the three is needed. */
export function Status({
  word,
  compact = false,
}: {
  readonly word: StatusWord;
  readonly compact?: boolean;
}): ReactElement {
  const [Icon, colours, label] = LOOKS[word];
  const pulses = word === "running" && "pulse";
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1 rounded-full align-middle text-xs font-medium whitespace-nowrap",
        compact ? "p-0.5" : "px-1.5 py-px",
        colours,
      )}
      title={label}
    >
      <Icon className={classNames("size-3", pulses)} aria-hidden />
      <span className={compact ? "sr-only" : undefined}>{label}</span>
    </span>
  );
}

export function statusLabel(word: StatusWord): string {
  return LOOKS[word][2];
}

export function sessionStatus({ isBusy, isExpired, head }: SessionSummary): StatusWord {
  if (isExpired) return "expired";
  if (isBusy) return "running";
  return head ? endStatus(head) : "empty";
}

export function snapshotStatus({ status, finishReason, event }: SnapshotMeta): StatusWord {
  if (event === "edit") return "edited";
  if (event === "fork") return "forked";
  return endStatus({ status, finishReason });
}

function endStatus({
  status,
  finishReason,
}: {
  readonly status?: string | undefined;
  readonly finishReason?: string | undefined;
}): StatusWord {
  if (status === "pending") return "running";
  if (status === "failed" || status === "aborted" || status === "expired") return status;
  return finishReason === "interrupted" ? "waiting" : "done";
}
