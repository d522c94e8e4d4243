import { useQueries } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "virtual:icons";
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type SessionName } from "../api/queries.ts";
import { MESSAGES_PER_PAGE, messagesQuery } from "../api/snapshot-queries.ts";
import type { ShownMessage, SnapshotMeta } from "../api/types.ts";
import { isTyping } from "../app/use-keys.ts";
import { Button } from "../ui/button.tsx";
import { ErrorView } from "../ui/views.tsx";
import { MessageView } from "./message-view.tsx";
import { TurnLine } from "./turn-line.tsx";

// Who is this near to the end wants to see what comes.
const NEAR = 80;
const BY_HAND = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Messages of any number: only those in sight are there. What is below them grows without moving them. */
export function ChatLog({
  name,
  snapshotId,
  path,
  isLive,
  message,
  onBranch,
  children,
}: {
  readonly name: SessionName;
  readonly snapshotId: string | undefined;
  readonly path: readonly SnapshotMeta[];
  readonly isLive: boolean;
  /** The message to show; the last, unless told. */
  readonly message?: number;
  /** Asks to go on from before a message, with its text. */
  readonly onBranch: (snapshotId: string | undefined, text: string) => void;
  readonly children: ReactNode;
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const total = path.at(-1)?.messageCount ?? 0;
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => 110,
    overscan: 5,
    paddingStart: 16,
  });
  const visible = rows.getVirtualItems();
  const { at, error } = useMessagePages(name, snapshotId, {
    first: visible[0]?.index ?? 0,
    last: visible.at(-1)?.index ?? -1,
  });
  const following = useFollowing(scroller, content, message === undefined);
  // Who stays at the end is kept there below; two that scroll would undo each other's work.
  rows.shouldAdjustScrollPositionOnItemSizeChange = following.isFollowing ? () => false : undefined;
  // The browser's own Home is an animation, and rows that are measured on its way push it off its aim.
  const toStart = (): void => {
    following.leave();
    rows.scrollToOffset(0);
  };
  const press = (event: KeyboardEvent): void => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (!isPlain || event.defaultPrevented || isTyping(event.nativeEvent)) return;
    if (event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    if (event.key === "Home") toStart();
    else following.follow();
  };
  useEffect(() => {
    if (message === undefined) return;
    following.leave();
    rows.scrollToIndex(message, { align: "start" });
    // Only when it becomes another one.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [message]);
  const before = visible[0]?.start ?? 0;
  const after = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label="Messages"
        tabIndex={0}
        onKeyDown={press}
        className="h-full overflow-auto [overflow-anchor:none]"
      >
        <div ref={content} className="pb-4">
          <div style={{ paddingTop: before, paddingBottom: Math.max(after, 0) }}>
            {visible.map(({ index, key }) => (
              <div key={key} data-index={index} ref={rows.measureElement}>
                <Slot
                  {...{ index, path, onBranch }}
                  message={at(index)}
                  isPointedAt={index === message}
                />
              </div>
            ))}
          </div>
          {error !== undefined && <ErrorView error={error} what="Messages could not be loaded." />}
          {children}
        </div>
      </div>
      {isLive && !following.isFollowing && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <Button look="primary" small className="shadow-lg" onClick={following.follow}>
            New text <ArrowDown aria-hidden />
          </Button>
        </div>
      )}
    </div>
  );
}

function Slot({
  message,
  index,
  path,
  isPointedAt,
  onBranch,
}: {
  readonly message: ShownMessage | undefined;
  readonly index: number;
  readonly isPointedAt: boolean;
  readonly path: readonly SnapshotMeta[];
  readonly onBranch: (snapshotId: string | undefined, text: string) => void;
}): ReactElement {
  const ended = path.find(({ messageCount }) => messageCount === index + 1);
  const earlier = path.findLast(({ messageCount = 0 }) => messageCount <= index);
  return (
    <>
      {message ? (
        <MessageView
          message={message}
          index={index}
          isPointedAt={isPointedAt}
          onBranch={(text) => onBranch(earlier?.snapshotId, text)}
          canBranch={earlier !== undefined}
        />
      ) : (
        <div className="mx-auto h-24 max-w-3xl px-5 py-2">
          <div className="pulse h-4 w-2/3 rounded bg-hover" />
        </div>
      )}
      {ended && <TurnLine snapshot={ended} />}
    </>
  );
}

/** The pages that hold the messages in sight. */
function useMessagePages(
  name: SessionName,
  snapshotId: string | undefined,
  { first, last }: { readonly first: number; readonly last: number },
): { readonly at: (index: number) => ShownMessage | undefined; readonly error: unknown } {
  const from = Math.floor(first / MESSAGES_PER_PAGE);
  const to = Math.floor(Math.max(last, 0) / MESSAGES_PER_PAGE);
  const isEmpty = snapshotId === undefined || last < 0;
  const numbers = isEmpty ? [] : Array.from({ length: to - from + 1 }, (_, page) => from + page);
  const pages = useQueries({
    queries: numbers.map((page) =>
      messagesQuery(name, { snapshotId: snapshotId ?? "", offset: page * MESSAGES_PER_PAGE }),
    ),
  });
  return {
    at: (index) => {
      const page = pages[Math.floor(index / MESSAGES_PER_PAGE) - from]?.data;
      return page?.messages[index - page.offset];
    },
    error: pages.find((page) => page.error !== null)?.error ?? undefined,
  };
}

/** Stays at the end as long as its reader does. */
function useFollowing(
  scroller: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
  isWanted: boolean,
): {
  readonly isFollowing: boolean;
  readonly follow: () => void;
  readonly leave: () => void;
} {
  const wants = useRef(isWanted);
  const isByHand = useRef(false);
  const [isFollowing, setFollowing] = useState(isWanted);
  const toEnd = (): void => {
    const { current } = scroller;
    if (current) current.scrollTop = current.scrollHeight;
  };
  useLayoutEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (box === null || inner === null) return undefined;
    // Content that is measured or comes in moves the page too; only its reader leaves the end.
    const touch = (): void => void (isByHand.current = true);
    const listen = (): void => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
      if (!isNear && !isByHand.current) return;
      isByHand.current = false;
      wants.current = isNear;
      setFollowing(isNear);
    };
    const grown = new ResizeObserver(() => {
      if (wants.current) toEnd();
    });
    grown.observe(inner);
    grown.observe(box);
    box.addEventListener("scroll", listen, { passive: true });
    for (const event of BY_HAND) box.addEventListener(event, touch, { passive: true });
    return () => {
      grown.disconnect();
      box.removeEventListener("scroll", listen);
      for (const event of BY_HAND) box.removeEventListener(event, touch);
    };
    // The elements stay the same.
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  return {
    isFollowing,
    follow: () => {
      wants.current = true;
      setFollowing(true);
      toEnd();
    },
    leave: () => {
      wants.current = false;
      setFollowing(false);
    },
  };
}
