import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactElement, Suspense, useEffect, useState } from "react";
import { infoQuery } from "../api/queries.ts";
import { ApiError } from "../api/request.ts";
import { ErrorView, Skeleton } from "../ui/views.tsx";
import { Announcer } from "./announcer.tsx";
import { useConnection, useLiveBus } from "./live-bus-context.tsx";
import { NavRail } from "./nav-rail.tsx";
import { useKeys } from "./use-keys.ts";

const TokenGate = lazy(async () => ({ default: (await import("./token-gate.tsx")).TokenGate }));
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await import("./shortcut-sheet.tsx")).ShortcutSheet,
}));

/** What stands around every page, once the server knows who looks. */
export function Shell(): ReactElement {
  const info = useQuery(infoQuery);
  const bus = useLiveBus();
  const isOpen = info.data !== undefined;
  useEffect(() => {
    if (isOpen) bus.start();
  }, [bus, isOpen]);
  if (info.isPending) return <Skeleton />;
  if (info.error instanceof ApiError && info.error.code === 401) {
    return (
      <Suspense fallback={<Skeleton />}>
        <TokenGate message={info.error.message} onOpen={() => void info.refetch()} />
      </Suspense>
    );
  }
  if (info.error) return <ErrorView error={info.error} onRetry={() => void info.refetch()} />;
  return <Frame />;
}

function Frame(): ReactElement {
  const [overlay, setOverlay] = useState<"palette" | "shortcuts">();
  const navigate = useNavigate();
  useKeys({
    "mod+k": () => setOverlay("palette"),
    "?": () => setOverlay("shortcuts"),
    "g a": () => void navigate({ to: "/agents" }),
    "g s": () => void navigate({ to: "/sessions" }),
    "g r": () => void navigate({ to: "/runs" }),
    "g t": () => void navigate({ to: "/traces" }),
    "g o": () => void navigate({ to: "/open" }),
  });
  // Not needed before there is something to lose.
  useEffect(() => void import("./keep-focus.ts").then(({ keepFocus }) => keepFocus()), []);
  const close = (): void => setOverlay(undefined);
  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      <NavRail onSearch={() => setOverlay("palette")} onShortcuts={() => setOverlay("shortcuts")} />
      <main id="main" className="flex min-w-0 flex-1 flex-col">
        <LostBanner />
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </main>
      <Announcer />
      <Suspense>
        {overlay === "palette" && <Palette onClose={close} />}
        {overlay === "shortcuts" && <ShortcutSheet onClose={close} />}
      </Suspense>
    </div>
  );
}

function LostBanner(): ReactElement | null {
  if (useConnection() !== "lost") return null;
  return (
    <p
      role="status"
      className="border-b border-line bg-warn-wash px-5 py-1.5 font-medium text-warn"
    >
      The connection to the server is lost. Trying again; what you see is what was there last.
    </p>
  );
}
