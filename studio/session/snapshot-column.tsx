import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactElement, useMemo, useRef } from "react";
import type { SnapshotMeta, SnapshotPage } from "../api/types.ts";
import { classNames } from "../ui/class-names.ts";
import { ago, count, dateTime, shortId, tokensOf, turnTime } from "../ui/formats.ts";
import { snapshotStatus, Status } from "../ui/status.tsx";
import { useNow } from "../ui/use-now.ts";
import { SnapshotMenu } from "./snapshot-menu.tsx";
import { layOut, type TreeRow } from "./tree-layout.ts";
import type { Replay } from "./use-replay.ts";
import { pathTo, type Viewpoint } from "./viewpoint.ts";

const ROW = 44;
const LANE = 14;

/** The tree of a session: what was, what is, and what might have been. */
export function SnapshotColumn({
  tree,
  view,
  width,
  onDialog,
  onReplay,
}: {
  readonly tree: SnapshotPage;
  readonly view: Viewpoint;
  readonly width: number;
  readonly onDialog: (dialog: "edit" | "fork") => void;
  readonly onReplay: Replay;
}): ReactElement {
  const { rows, lanes } = useMemo(() => layOut(tree.snapshots), [tree.snapshots]);
  const path = new Set(pathTo(tree.snapshots, view.snapshotId));
  const scroller = useRef<HTMLDivElement>(null);
  const now = useNow(10_000);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  const move = (event: KeyboardEvent): void => {
    const at = rows.findIndex(({ snapshot }) => snapshot.snapshotId === view.snapshotId);
    const next = nextIndex(event.key, at, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    view.choose(rows[next]?.snapshot.snapshotId);
    list.scrollToIndex(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus(),
    );
  };
  return (
    <aside
      aria-label="Snapshots"
      className="hidden shrink-0 flex-col bg-surface md:flex"
      style={{ width, maxWidth: "30vw" }}
    >
      <h2 className="px-4 pt-3 pb-1.5 text-xs font-medium text-faint">
        Snapshots <span className="tabular-nums">({countOf(tree)})</span>
      </h2>
      {rows.length === 0 && (
        <p className="px-4 text-soft">A snapshot is written at the end of each turn.</p>
      )}
      <div
        ref={scroller}
        role="tree"
        tabIndex={-1}
        aria-label="Snapshots, newest first"
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div role="presentation" className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <Row
                  key={row.snapshot.snapshotId}
                  {...{ row, lanes, start, view, now, onDialog, onReplay }}
                  place={[index + 1, rows.length]}
                  isOnPath={path.has(row.snapshot) || isBeingAdded(row.snapshot, view)}
                />
              )
            );
          })}
        </div>
      </div>
      <p className="flex items-center gap-1.5 border-t border-line px-4 py-2 text-xs text-faint">
        <Dot isOnPath /> on this branch <Dot isOnPath={false} /> on another
      </p>
    </aside>
  );
}

// What runs now goes on from where the page looks from.
function isBeingAdded({ status, parentId }: SnapshotMeta, view: Viewpoint): boolean {
  return status === "pending" && view.isAtHead && parentId === view.snapshotId;
}

function Dot({ isOnPath }: { readonly isOnPath: boolean }): ReactElement {
  const look = isOnPath ? "border-accent bg-accent" : "ml-2 border-line-strong";
  return <span aria-hidden className={`size-2 rounded-full border-[1.5px] ${look}`} />;
}

function nextIndex(key: string, at: number, length: number): number | undefined {
  if (key === "ArrowDown") return Math.min(at + 1, length - 1);
  if (key === "ArrowUp") return Math.max(at - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? length - 1 : undefined;
}

function Row(props: {
  readonly row: TreeRow;
  readonly lanes: number;
  readonly start: number;
  readonly place: readonly [number, number];
  readonly view: Viewpoint;
  readonly now: number;
  readonly isOnPath: boolean;
  readonly onDialog: (dialog: "edit" | "fork") => void;
  readonly onReplay: Replay;
}): ReactElement {
  const { row, lanes, start, place, view, now, isOnPath, onDialog, onReplay } = props;
  const { snapshot, depth } = row;
  const { snapshotId, createdAt, labels = [] } = snapshot;
  const isChosen = snapshotId === view.snapshotId;
  return (
    <div
      role="treeitem"
      aria-level={depth}
      aria-posinset={place[0]}
      aria-setsize={place[1]}
      aria-selected={isChosen}
      data-snapshot={snapshotId}
      tabIndex={isChosen ? 0 : -1}
      onClick={() => view.choose(snapshotId)}
      onKeyDown={(event) => event.key === "Enter" && view.choose(snapshotId)}
      className={classNames(
        "group absolute inset-x-0 flex h-11 cursor-pointer items-center pr-1 pl-2",
        isChosen ? "bg-accent-wash" : "hover:bg-hover",
      )}
      style={{ transform: `translateY(${start}px)` }}
    >
      <Lanes row={row} lanes={lanes} isOnPath={isOnPath} />
      <div className="min-w-0 flex-1 pl-1">
        <p className="flex items-center gap-1.5">
          <Status word={snapshotStatus(snapshot)} compact />
          <span className="truncate font-mono text-xs">{shortId(snapshotId)}</span>
          {snapshotId === view.head && (
            <span className="rounded bg-accent px-1 text-2xs font-medium text-accent-ink">
              head
            </span>
          )}
          {snapshotId === view.marked && (
            <span className="rounded bg-violet-wash px-1 text-2xs font-medium text-violet">
              marked
            </span>
          )}
        </p>
        <p className="truncate text-xs text-faint" title={dateTime(createdAt)}>
          {[...labels, ago(createdAt, now), factsOf(snapshot)].filter(Boolean).join(" · ")}
        </p>
      </div>
      <SnapshotMenu {...{ snapshot, view, onDialog, onReplay }} />
    </div>
  );
}

function factsOf(snapshot: SnapshotMeta): string {
  const { total } = tokensOf(snapshot.usage);
  return [turnTime(snapshot), total > 0 ? `${count(total)} tok` : ""].filter(Boolean).join(" · ");
}

function Lanes({
  row: { lane, above, below, joins, isRoot },
  lanes,
  isOnPath,
}: {
  readonly row: TreeRow;
  readonly lanes: number;
  readonly isOnPath: boolean;
}): ReactElement {
  const width = Math.min(lanes, 8) * LANE + 4;
  const x = (at: number): number => Math.min(at, 7) * LANE + 9;
  const middle = ROW / 2;
  return (
    <svg width={width} height={ROW} className="shrink-0" aria-hidden>
      <g fill="none" className="stroke-line-strong" strokeWidth="1.5">
        {above
          .filter((one) => one !== lane && !joins.includes(one))
          .map((one) => (
            <path key={`a${one}`} d={`M${x(one)} 0V${middle}`} />
          ))}
        {above.includes(lane) && <path d={`M${x(lane)} 0V${middle}`} />}
        {below
          .filter((one) => one !== lane || !isRoot)
          .map((one) => (
            <path key={`b${one}`} d={`M${x(one)} ${middle}V${ROW}`} />
          ))}
        {joins.map((one) => (
          <path
            key={`j${one}`}
            d={`M${x(one)} 0C${x(one)} ${middle} ${x(lane)} 8 ${x(lane)} ${middle}`}
          />
        ))}
      </g>
      <circle
        cx={x(lane)}
        cy={middle}
        r="4"
        strokeWidth="1.5"
        className={isOnPath ? "fill-accent stroke-accent" : "fill-surface stroke-line-strong"}
      />
    </svg>
  );
}

// A tree of more than can be drawn is cut, and says so.
function countOf({ snapshots: { length }, total }: SnapshotPage): string {
  return total > length ? `the first ${count(length)} of ${count(total)}` : count(total);
}
