import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactElement, useEffect, useRef, useState } from "react";
import type { SessionSummary } from "../api/types.ts";
import { useKeys } from "../app/use-keys.ts";
import { classNames } from "../ui/class-names.ts";
import { ago, count, dateTime } from "../ui/formats.ts";
import { RowLink } from "../ui/row-link.tsx";
import { sessionStatus, Status } from "../ui/status.tsx";
import { useNow } from "../ui/use-now.ts";

const ROW = 40;
const SLOTS = 32;

/** Sessions of two agents may have one id. */
export function keyOf({ agentName, sessionId }: SessionSummary): string {
  return JSON.stringify([agentName, sessionId]);
}

interface TableProps {
  readonly sessions: readonly SessionSummary[];
  readonly showAgent: boolean;
  /** Which of its times is shown of each. */
  readonly time: "createdAt" | "updatedAt";
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onMore: () => void;
}

/** A table of any length: only the rows in sight are there, and more are asked for near the end. */
export function SessionTable(props: TableProps): ReactElement {
  const { sessions, showAgent, time, selected, onSelect, onMore } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow(10_000);
  const rows = useVirtualizer({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 3,
  });
  const visible = rows.getVirtualItems();
  const slots = Math.max(SLOTS, visible.length);
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= sessions.length - 20) onMore();
  }, [last, sessions.length, onMore]);
  const toggle = (session: SessionSummary): void => {
    const next = new Set(selected);
    if (!next.delete(keyOf(session))) next.add(keyOf(session));
    onSelect(next);
  };
  const cursor = useCursor(sessions, { scrollTo: rows.scrollToIndex, toggle });
  const all = sessions.length > 0 && sessions.every((session) => selected.has(keyOf(session)));
  const columns = showAgent
    ? "grid-cols-[2rem_minmax(10rem,1fr)_9rem_8.5rem_5rem_5rem_7rem]"
    : "grid-cols-[2rem_minmax(10rem,1fr)_8.5rem_5rem_5rem_7rem]";
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Sessions"
      aria-rowcount={sessions.length + 1}
      className="h-full overflow-auto"
    >
      <div
        role="row"
        aria-rowindex={1}
        className={classNames(
          "sticky top-0 z-10 grid min-w-[42rem] items-center gap-3 border-b border-line bg-surface px-5 text-xs font-medium text-faint",
          columns,
        )}
      >
        <span role="columnheader" className="py-2">
          <input
            type="checkbox"
            aria-label="Select all that are loaded"
            checked={all}
            onChange={() => onSelect(all ? new Set() : new Set(sessions.map(keyOf)))}
            className="align-middle accent-accent"
          />
        </span>
        <span role="columnheader">Title</span>
        {showAgent && <span role="columnheader">Agent</span>}
        <span role="columnheader">Status</span>
        <span role="columnheader" className="text-right">
          Messages
        </span>
        <span role="columnheader" className="text-right">
          Branches
        </span>
        <span role="columnheader" className="text-right">
          {time === "createdAt" ? "Created" : "Updated"}
        </span>
      </div>
      <div
        role="rowgroup"
        className="relative min-w-[42rem]"
        style={{ height: rows.getTotalSize() }}
      >
        {visible.map(({ index, start }) => {
          const session = sessions[index];
          return (
            session && (
              <Row
                // Rows that leave take the place of those that come: to fill a row anew is much cheaper than to make one.
                key={index % slots}
                {...{ session, index, start, columns, showAgent, time, now }}
                isAtCursor={index === cursor}
                isSelected={selected.has(keyOf(session))}
                onToggle={() => toggle(session)}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

function useCursor(
  sessions: readonly SessionSummary[],
  {
    scrollTo,
    toggle,
  }: {
    readonly scrollTo: (index: number) => void;
    readonly toggle: (session: SessionSummary) => void;
  },
): number {
  const [cursor, setCursor] = useState(-1);
  const navigate = useNavigate();
  const move = (step: number): void => {
    const next = Math.min(Math.max(cursor + step, 0), sessions.length - 1);
    setCursor(next);
    scrollTo(next);
  };
  const current = sessions[cursor];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...(current && {
      x: () => toggle(current),
      Enter: () => {
        const { agentName: agent, sessionId: session } = current;
        void navigate({ to: "/agents/$agent/sessions/$session", params: { agent, session } });
      },
    }),
  });
  return cursor;
}

function Row(props: {
  readonly session: SessionSummary;
  readonly index: number;
  readonly start: number;
  readonly columns: string;
  readonly showAgent: boolean;
  readonly time: TableProps["time"];
  readonly now: number;
  readonly isAtCursor: boolean;
  readonly isSelected: boolean;
  readonly onToggle: () => void;
}): ReactElement {
  const { session, index, start, columns, showAgent, time, now } = props;
  const { isAtCursor, isSelected, onToggle } = props;
  const { agentName, sessionId, title, tags, messageCount, branchCount } = session;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-session={sessionId}
      className={classNames(
        "absolute inset-x-0 grid h-10 [contain:strict] items-center gap-3 border-b border-line px-5 hover:bg-hover",
        columns,
        isSelected && "bg-accent-wash",
        isAtCursor && "outline-2 -outline-offset-2 outline-accent",
      )}
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="gridcell">
        <input
          type="checkbox"
          aria-label={`Select ${title ?? sessionId}`}
          checked={isSelected}
          onChange={onToggle}
          className="align-middle accent-accent"
        />
      </span>
      <span role="gridcell" className="flex min-w-0 items-center gap-2">
        <RowLink
          steps={["agents", agentName, "sessions", sessionId]}
          className="truncate font-medium hover:text-accent"
        >
          {title ?? <span className="font-mono text-xs">{sessionId.slice(0, 64)}</span>}
        </RowLink>
        {tags.map((tag) => (
          <span key={tag} className="shrink-0 rounded-full bg-sunken px-1.5 text-xs text-soft">
            {tag}
          </span>
        ))}
      </span>
      {showAgent && (
        <span role="gridcell" className="truncate text-soft">
          {agentName}
        </span>
      )}
      <span role="gridcell">
        <Status word={sessionStatus(session)} />
      </span>
      <span role="gridcell" className="text-right tabular-nums">
        {count(messageCount)}
      </span>
      <span role="gridcell" className="text-right text-soft tabular-nums">
        {branchCount > 1 ? count(branchCount) : "–"}
      </span>
      <span
        role="gridcell"
        className="text-right text-soft"
        // Said in full to those who point at it.
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = dateTime(session[time]);
        }}
      >
        {ago(session[time], now)}
      </span>
    </div>
  );
}
