import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactElement,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { LightSpan, TraceDetail } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { count, duration } from "../ui/formats.ts";
import { spanRows } from "./span-tree.ts";

const ROW = 28;
const COLOURS = {
  model: "bg-violet",
  tool: "bg-warn",
  agent: "bg-accent",
  other: "bg-info",
};

/** The part of the trace's time that is in sight. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** Spans as bars over time. Drag over the bars' head to look closer. */
export function Waterfall({
  trace,
  open,
  onOpen,
}: {
  readonly trace: TraceDetail;
  readonly open: string | undefined;
  readonly onOpen: (spanId: string) => void;
}): ReactElement {
  const rows = useMemo(() => spanRows(trace.spans), [trace.spans]);
  const whole = wholeOf(trace);
  const [zoom, setZoom] = useState<Window>();
  const shown = zoom ?? whole;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  useEffect(() => {
    const at = rows.findIndex(({ span }) => span.spanId === open);
    if (at > 0) list.scrollToIndex(at, { align: "center" });
    // Only when the page is opened at it.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = rows.findIndex(({ span }) => span.spanId === open);
    const next = Math.min(Math.max(at + step, 0), rows.length - 1);
    const span = rows[next]?.span;
    if (span) onOpen(span.spanId);
    list.scrollToIndex(next);
  };
  return (
    <div className="flex h-full flex-col">
      <TimeAxis {...{ whole, shown }} isZoomed={zoom !== undefined} onZoom={setZoom} />
      <div
        ref={scroller}
        role="listbox"
        aria-label="Spans"
        tabIndex={0}
        onKeyDown={move}
        className="min-h-0 flex-1 overflow-auto"
      >
        <div role="presentation" className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={row.span.spanId}
                  role="option"
                  aria-selected={row.span.spanId === open}
                  data-span={row.span.spanId}
                  tabIndex={-1}
                  onClick={() => onOpen(row.span.spanId)}
                  onKeyDown={() => {}}
                  className={classNames(
                    "absolute inset-x-0 flex h-7 cursor-pointer items-center",
                    row.span.spanId === open ? "bg-accent-wash" : "hover:bg-hover",
                  )}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Name span={row.span} depth={row.depth} />
                  <Bar span={row.span} shown={shown} whole={whole} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Name({
  span: { name, kind, statusCode, inputTokens: input, outputTokens: output },
  depth,
}: {
  readonly span: LightSpan;
  readonly depth: number;
}): ReactElement {
  return (
    <div
      className="flex w-72 shrink-0 items-center gap-2 border-r border-line pr-2"
      style={{ paddingLeft: 20 + depth * 14 }}
    >
      <span className={`size-2 shrink-0 rounded-sm ${COLOURS[kind]}`} aria-hidden />
      <span className={classNames("truncate", statusCode === 2 && "text-bad")}>{name}</span>
      {input + output > 0 && (
        <span className="ml-auto shrink-0 text-2xs text-faint">
          {count(input)}/{count(output)}
        </span>
      )}
    </div>
  );
}

function Bar({
  span: { startTime, endTime, statusCode, kind },
  shown: { from, to },
  whole,
}: {
  readonly span: LightSpan;
  readonly shown: Window;
  readonly whole: Window;
}): ReactElement {
  const end = endTime ?? whole.to;
  const share = (time: number): number =>
    Math.min(Math.max((time - from) / (to - from), 0), 1) * 100;
  const left = share(startTime);
  const width = Math.max(share(end) - left, 0.4);
  const colour = statusCode === 2 ? "bg-bad" : COLOURS[kind];
  return (
    <div className="relative mx-3 h-full min-w-0 flex-1">
      <div
        className={classNames(
          "absolute top-2 h-3 rounded-sm",
          colour,
          endTime === undefined && "pulse",
        )}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
      <span
        className={classNames(
          "absolute top-1.5 px-1.5 text-2xs whitespace-nowrap tabular-nums",
          left + width > 85 && left <= 70 ? "font-medium text-surface" : "text-soft",
        )}
        style={labelPlace(left, width)}
      >
        {endTime === undefined ? "…" : duration(end - startTime)}
      </span>
    </div>
  );
}

// Behind the bar where there is room, else at its end, else before it.
function labelPlace(left: number, width: number): CSSProperties {
  if (left + width <= 85) return { left: `${left + width}%` };
  return { right: `${left <= 70 ? 100 - left - width : 100 - left}%` };
}

const MARKS = [0, 0.25, 0.5, 0.75];

function TimeAxis({
  whole,
  shown,
  isZoomed,
  onZoom,
}: {
  readonly whole: Window;
  readonly shown: Window;
  readonly isZoomed: boolean;
  readonly onZoom: (window: Window | undefined) => void;
}): ReactElement {
  const [drag, setDrag] = useState<readonly [number, number]>();
  const length = shown.to - shown.from;
  const finish = (): void => {
    setDrag(undefined);
    if (drag === undefined || Math.abs(drag[0] - drag[1]) < 0.01) return;
    const [from = 0, to = 1] = drag.toSorted((one, other) => one - other);
    onZoom({ from: shown.from + from * length, to: shown.from + to * length });
  };
  return (
    <div className="flex h-8 shrink-0 items-center border-b border-line bg-surface text-2xs text-faint">
      <div className="flex w-72 shrink-0 items-center border-r border-line px-5">
        {isZoomed ? (
          <Button small look="quiet" onClick={() => onZoom(undefined)}>
            Show all
          </Button>
        ) : (
          "Drag to look closer"
        )}
      </div>
      <div
        role="presentation"
        className="relative mx-3 h-full flex-1 cursor-ew-resize select-none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag([place(event), place(event)]);
        }}
        onPointerMove={(event) => drag && setDrag([drag[0], place(event)])}
        onPointerUp={finish}
      >
        {MARKS.map((mark) => (
          <span
            key={mark}
            className="absolute top-2 border-l border-line pl-1"
            style={{ left: `${mark * 100}%` }}
          >
            {duration(shown.from - whole.from + mark * length)}
          </span>
        ))}
        {drag && (
          <span
            className="absolute inset-y-0 bg-accent opacity-20"
            style={{
              left: `${Math.min(...drag) * 100}%`,
              width: `${Math.abs(drag[0] - drag[1]) * 100}%`,
            }}
          />
        )}
      </div>
    </div>
  );
}

// Where on the axis, from 0 to 1.
function place(event: React.PointerEvent): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  return Math.min(Math.max((event.clientX - left) / width, 0), 1);
}

function wholeOf({ spans }: TraceDetail): Window {
  const from = Math.min(...spans.map(({ startTime }) => startTime));
  const to = Math.max(...spans.map(({ startTime, endTime = startTime }) => endTime));
  return { from, to: Math.max(to, from + 1) };
}
