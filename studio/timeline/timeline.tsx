import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactElement, useMemo, useRef } from "react";
import type { SnapshotMeta } from "../api/types.ts";
import { classNames } from "../ui/class-names.ts";
import { count, dateTime, duration, shortId, tokensOf, turnMs } from "../ui/formats.ts";
import { snapshotStatus, Status, type StatusWord } from "../ui/status.tsx";
import { useNow } from "../ui/use-now.ts";
import { type Span, timeScale } from "./time-scale.ts";

const ROW = 28;

const COLOURS: Readonly<Record<StatusWord, string>> = {
  running: "bg-info",
  queued: "bg-info",
  open: "bg-info",
  waiting: "bg-warn",
  done: "bg-accent",
  failed: "bg-bad",
  aborted: "bg-line-strong",
  expired: "bg-warn",
  edited: "bg-violet",
  forked: "bg-violet",
  empty: "bg-line-strong",
};

/** A row for each snapshot, the first begun first, with a bar for the time its turn took. */
export function Timeline({
  snapshots,
  cutsPauses,
  chosen,
  onChoose,
}: {
  readonly snapshots: readonly SnapshotMeta[];
  readonly cutsPauses: boolean;
  readonly chosen: string | undefined;
  readonly onChoose: (snapshotId: string) => void;
}): ReactElement {
  const now = useNow(1000);
  const isRunning = snapshots.some(({ status }) => status === "pending");
  // What has ended does not change with the clock.
  const until = isRunning ? now : 0;
  const spans = useMemo(() => snapshots.map((one) => spanOf(one, until)), [snapshots, until]);
  const place = useMemo(() => timeScale(spans, { cutsPauses }), [spans, cutsPauses]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: snapshots.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const move = (event: KeyboardEvent): void => {
    const at = snapshots.findIndex(({ snapshotId }) => snapshotId === chosen);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: snapshots.length - 1 }[
      event.key
    ];
    const snapshot = next === undefined ? undefined : snapshots[next];
    if (next === undefined || snapshot === undefined) return;
    event.preventDefault();
    onChoose(snapshot.snapshotId);
    list.scrollToIndex(next);
  };
  return (
    <div
      ref={scroller}
      role="listbox"
      aria-label="Turns, the first begun first"
      tabIndex={0}
      onKeyDown={move}
      className="h-full overflow-auto"
    >
      <div role="presentation" className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, start }) => {
          const snapshot = snapshots[index];
          const span = spans[index];
          if (snapshot === undefined || span === undefined) return null;
          const isChosen = snapshot.snapshotId === chosen;
          return (
            <div
              key={snapshot.snapshotId}
              role="option"
              aria-selected={isChosen}
              data-snapshot={snapshot.snapshotId}
              tabIndex={-1}
              onClick={() => onChoose(snapshot.snapshotId)}
              onKeyDown={() => {}}
              className={classNames(
                "absolute inset-x-0 flex h-7 cursor-pointer items-center",
                isChosen ? "bg-accent-wash" : "hover:bg-hover",
              )}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Facts snapshot={snapshot} />
              <Bar snapshot={snapshot} left={place(span.from)} right={place(span.to)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

// From when its input was taken in to when it was kept; what no turn made took no time.
function spanOf(snapshot: SnapshotMeta, now: number): Span {
  const from = Date.parse(snapshot.createdAt);
  const took = snapshot.status === "pending" ? now - from : (turnMs(snapshot) ?? 0);
  return { from, to: from + Math.max(took, 0) };
}

function Facts({ snapshot }: { readonly snapshot: SnapshotMeta }): ReactElement {
  const { snapshotId, createdAt, usage } = snapshot;
  const { total } = tokensOf(usage);
  return (
    <div className="flex w-72 shrink-0 items-center gap-2 border-r border-line pr-2 pl-5">
      <Status word={snapshotStatus(snapshot)} compact />
      <span className="font-mono text-xs">{shortId(snapshotId)}</span>
      <span className="truncate text-xs text-faint" title={dateTime(createdAt)}>
        {new Date(createdAt).toLocaleTimeString()}
      </span>
      {total > 0 && (
        <span className="ml-auto shrink-0 text-2xs text-faint">{count(total)} tok</span>
      )}
    </div>
  );
}

function Bar({
  snapshot,
  left,
  right,
}: {
  readonly snapshot: SnapshotMeta;
  readonly left: number;
  readonly right: number;
}): ReactElement {
  const word = snapshotStatus(snapshot);
  const took = turnMs(snapshot);
  const width = Math.max((right - left) * 100, 0.4);
  const end = left * 100 + width;
  return (
    <div className="relative mx-3 h-full min-w-0 flex-1">
      <div
        className={classNames(
          "absolute top-2 h-3 rounded-sm",
          COLOURS[word],
          word === "running" && "pulse",
        )}
        style={{ left: `${Math.min(left * 100, 99.6)}%`, width: `${width}%` }}
      />
      <span
        className="absolute top-1.5 px-1.5 text-2xs whitespace-nowrap text-soft tabular-nums"
        // Behind the bar where there is room, else before it.
        style={
          end <= 85 || left < 0.1
            ? { left: `${Math.min(end, 85)}%` }
            : { right: `${100 - left * 100}%` }
        }
      >
        {took === undefined ? word : duration(took)}
      </span>
    </div>
  );
}
