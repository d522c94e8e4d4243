import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import {
  ChartNoAxesGantt,
  ChevronRight,
  Download,
  GitCompareArrows,
  Pencil,
  Search,
  Trash2,
} from "virtual:icons";
import { type FormEvent, lazy, type ReactElement, Suspense, useState } from "react";
import type { SessionName } from "../api/queries.ts";
import { apiUrl, pathOf, sendJson } from "../api/request.ts";
import type { SessionDetail } from "../api/types.ts";
import { Button, buttonClass, IconButton } from "../ui/button.tsx";
import { plural, tokensOf } from "../ui/formats.ts";
import { PageTitle } from "../ui/page.tsx";
import { sessionStatus, Status } from "../ui/status.tsx";
import { useMoney } from "../ui/use-money.ts";
import type { Viewpoint } from "./viewpoint.ts";

const DeleteDialog = lazy(async () => ({
  default: (await import("../sessions/delete-dialog.tsx")).DeleteDialog,
}));

export function WorkspaceHeader({
  name: { agent, session: sessionId },
  session,
  view,
  onFind,
}: {
  readonly name: SessionName;
  readonly session: SessionDetail;
  readonly view: Viewpoint;
  readonly onFind: () => void;
}): ReactElement {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { total } = tokensOf(session.usage);
  const cost = useMoney().money(session.cost);
  const canDiff = view.marked !== undefined || view.snapshot?.parentId !== undefined;
  return (
    <header className="flex min-h-12 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-surface px-5 py-2">
      <Link
        to="/agents/$agent/sessions"
        params={{ agent }}
        className="max-w-40 truncate text-soft hover:text-accent"
      >
        {agent}
      </Link>
      <ChevronRight className="size-3.5 text-faint" aria-hidden />
      <Title agent={agent} session={session} />
      <Status word={sessionStatus(session)} />
      <span className="text-xs text-faint">
        {plural(session.messageCount, "message")}
        {total > 0 && ` · ${plural(total, "token")}`}
        {cost !== undefined && ` · ${cost}`}
      </span>
      <div className="ml-auto flex flex-wrap items-center gap-1.5">
        <IconButton label="Find in the messages" onClick={onFind}>
          <Search aria-hidden />
        </IconButton>
        <Button small onClick={() => view.openTimeline()} title="l">
          <ChartNoAxesGantt aria-hidden /> Timeline
        </Button>
        <Button
          small
          onClick={() => view.diff()}
          disabled={!canDiff}
          title={
            canDiff
              ? "With the marked snapshot, or the parent (d)"
              : "The first snapshot has no parent. Mark another one."
          }
        >
          <GitCompareArrows aria-hidden /> Diff
        </Button>
        <a
          href={apiUrl(`${pathOf("agents", agent, "sessions", sessionId)}/export`)}
          download
          className={buttonClass({ small: true })}
        >
          <Download aria-hidden /> Export
        </a>
        <IconButton label="Delete this session" onClick={() => setDeleting(true)}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      <Suspense>
        {isDeleting && (
          <DeleteDialog
            sessions={[session]}
            onClose={(isDone) => {
              setDeleting(false);
              if (isDone) void navigate({ to: "/agents/$agent/sessions", params: { agent } });
            }}
          />
        )}
      </Suspense>
    </header>
  );
}

function Title({
  agent,
  session: { sessionId, title },
}: {
  readonly agent: string;
  readonly session: SessionDetail;
}): ReactElement {
  const client = useQueryClient();
  const [draft, setDraft] = useState<string>();
  const rename = useMutation({
    mutationFn: (next: string) =>
      sendJson("PATCH", pathOf("agents", agent, "sessions", sessionId), {
        title: next === "" ? null : next,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["sessions"] });
      setDraft(undefined);
    },
  });
  if (draft === undefined) {
    return (
      <span className="flex min-w-0 items-center gap-1">
        <PageTitle title={title ?? sessionId.slice(0, 64)} />
        <IconButton label="Rename" onClick={() => setDraft(title ?? "")}>
          <Pencil aria-hidden />
        </IconButton>
      </span>
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate(draft.trim());
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-1.5">
      <input
        aria-label="Title"
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && setDraft(undefined)}
        className="h-7 w-64 rounded-md border border-line-strong bg-canvas px-2 text-base"
      />
      <Button small type="submit" disabled={rename.isPending}>
        Save
      </Button>
      {rename.error && <span className="text-bad">{rename.error.message}</span>}
    </form>
  );
}
