import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import {
  Activity,
  Bot,
  ChartNoAxesColumn,
  Keyboard,
  MessagesSquare,
  Moon,
  Network,
  Search,
  Settings,
  Sun,
} from "virtual:icons";
import type { ReactElement } from "react";
import { infoQuery, runsQuery } from "../api/queries.ts";
import { IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { withCommandKey } from "../ui/key-names.ts";
import { useConnection } from "./live-bus-context.tsx";
import { changePreferences, usePreferences } from "./preferences.ts";
import type { Icon } from "../ui/icon.tsx";

const PLACES: readonly { readonly to: Place; readonly label: string; readonly Icon: Icon }[] = [
  { to: "/agents", label: "Agents", Icon: Bot },
  { to: "/sessions", label: "Sessions", Icon: MessagesSquare },
  { to: "/runs", label: "Runs", Icon: Activity },
  { to: "/traces", label: "Traces", Icon: Network },
  { to: "/stats", label: "Stats", Icon: ChartNoAxesColumn },
  { to: "/settings", label: "Settings", Icon: Settings },
];
type Place = "/agents" | "/sessions" | "/runs" | "/traces" | "/stats" | "/settings";

export function NavRail({
  onSearch,
  onShortcuts,
}: {
  readonly onSearch: () => void;
  readonly onShortcuts: () => void;
}): ReactElement {
  const { data: info } = useQuery(infoQuery);
  const here = placeOf(useLocation().pathname);
  return (
    <nav
      aria-label="Studio"
      className="flex w-12 shrink-0 flex-col gap-1 border-r border-line bg-surface p-2 lg:w-48"
    >
      <div className="mb-2 hidden px-2 pt-1 lg:block">
        <p className="flex items-center gap-2 font-semibold tracking-tight">
          <Mark /> Turnkeep
        </p>
        <p className="mt-0.5 truncate text-xs text-faint">{info?.name ?? "Studio"}</p>
      </div>
      <button
        type="button"
        onClick={onSearch}
        title="Search and commands"
        className="mb-2 flex h-8 items-center gap-2 rounded-md border border-line bg-sunken px-2 text-faint hover:text-ink"
      >
        <Search className="size-3.5 shrink-0" aria-hidden />
        <span className="sr-only lg:not-sr-only">Search</span>
        <kbd className="ml-auto hidden font-sans text-xs lg:inline">{withCommandKey("K")}</kbd>
      </button>
      {PLACES.map(({ to, label, Icon }) => (
        <Link
          key={to}
          to={to}
          title={label}
          aria-current={to === here ? "page" : undefined}
          className={classNames(
            "flex h-8 items-center gap-2.5 rounded-md px-2",
            to === here
              ? "bg-accent-wash font-medium text-accent"
              : "text-soft hover:bg-hover hover:text-ink",
          )}
        >
          <Icon className="size-4 shrink-0" aria-hidden />
          <span className="sr-only lg:not-sr-only">{label}</span>
          {to === "/runs" && <RunningCount />}
        </Link>
      ))}
      <div className="mt-auto flex flex-col items-center gap-1 lg:flex-row">
        <ConnectionBadge />
        <span className="hidden flex-1 lg:block" />
        <ThemeButton />
        <IconButton label="Keyboard shortcuts" onClick={onShortcuts}>
          <Keyboard aria-hidden />
        </IconButton>
      </div>
    </nav>
  );
}

// A session is one of the sessions, though its address begins with its agent.
function placeOf(path: string): Place | undefined {
  if (path.includes("/sessions")) return "/sessions";
  return PLACES.map(({ to }) => to).find((to) => path.includes(to));
}

function Mark(): ReactElement {
  return (
    <svg viewBox="0 0 16 16" className="size-5" aria-hidden>
      <rect width="16" height="16" rx="4" className="fill-accent" />
      <path d="M5 4.5v7M5 8h6" className="stroke-accent-ink" fill="none" />
      {["5 4.5", "5 11.5", "11 8"].map((place) => {
        const [x, y] = place.split(" ");
        return <circle key={place} cx={x} cy={y} r="1.6" className="fill-accent-ink" />;
      })}
    </svg>
  );
}

function RunningCount(): ReactElement | null {
  const { data: runs = [] } = useQuery({ ...runsQuery({ status: "running" }), retry: false });
  if (runs.length === 0) return null;
  return (
    <span className="ml-auto hidden rounded-full bg-info-wash px-1.5 text-xs font-medium text-info lg:inline">
      {runs.length}
      <span className="sr-only"> running</span>
    </span>
  );
}

const COLOURS = { connecting: "bg-line-strong", connected: "bg-good", lost: "bg-bad" };

function ConnectionBadge(): ReactElement {
  const connection = useConnection();
  return (
    <span className="flex items-center gap-1.5 px-2 text-xs text-faint">
      <span className={classNames("size-2 rounded-full", COLOURS[connection])} aria-hidden />
      <span className="sr-only lg:not-sr-only">{connection}</span>
    </span>
  );
}

function ThemeButton(): ReactElement {
  usePreferences();
  const isDark = document.documentElement.dataset["theme"] === "dark";
  return (
    <IconButton
      label={isDark ? "Use the light theme" : "Use the dark theme"}
      onClick={() => changePreferences({ theme: isDark ? "light" : "dark" })}
    >
      {isDark ? <Sun aria-hidden /> : <Moon aria-hidden />}
    </IconButton>
  );
}
