import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { pathOf, sendJson } from "../api/request.ts";
import type { SessionSummary } from "../api/types.ts";
import { announce } from "../app/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { plural } from "../ui/formats.ts";

// More than these are only deleted by whoever can say how many they are.
const MANY = 20;
const AT_ONCE = 200;

interface Deletion {
  readonly deleted: number;
  readonly kept: readonly { readonly sessionId: string; readonly message: string }[];
}

/** Erases sessions for good, after asking. */
export function DeleteDialog({
  sessions,
  onClose,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly onClose: (isDone: boolean) => void;
}): ReactElement {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const [stopsRuns, setStopsRuns] = useState(false);
  const isBusy = sessions.some((session) => session.isBusy);
  const isSure = sessions.length <= MANY || typed.trim() === String(sessions.length);
  const deletion = useMutation({
    mutationFn: () => deleteAll(sessions, stopsRuns),
    onSuccess: ({ deleted, kept }) => {
      announce(`${plural(deleted, "session")} deleted.`);
      void client.invalidateQueries({ queryKey: ["sessions"] });
      if (kept.length === 0) onClose(true);
    },
  });
  return (
    <Dialog
      title={`Delete ${plural(sessions.length, "session")}?`}
      about="Everything that was said, kept and made in them is erased. This cannot be undone."
      onClose={() => onClose(deletion.isSuccess)}
    >
      <div className="flex flex-col gap-3">
        {isBusy && (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={stopsRuns}
              onChange={(event) => setStopsRuns(event.target.checked)}
              className="accent-accent"
            />
            Some are running: stop them first
          </label>
        )}
        {sessions.length > MANY && (
          <label className="flex flex-col gap-1">
            Type {sessions.length} to go on
            <input
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              className="h-8 rounded-md border border-line-strong bg-canvas px-2"
            />
          </label>
        )}
        {deletion.error && (
          <p role="alert" className="text-bad">
            {deletion.error.message}
          </p>
        )}
        {deletion.data?.kept.map(({ sessionId, message }) => (
          <p key={sessionId} role="alert" className="text-bad">
            {sessionId}: {message}
          </p>
        ))}
        <div className="flex justify-end gap-2">
          <Button onClick={() => onClose(deletion.isSuccess)}>Cancel</Button>
          <Button
            look="danger"
            disabled={!isSure || deletion.isPending}
            onClick={() => deletion.mutate()}
          >
            {deletion.isPending ? "Deleting…" : "Delete"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

async function deleteAll(sessions: readonly SessionSummary[], abort: boolean): Promise<Deletion> {
  const agents = [...new Set(sessions.map(({ agentName }) => agentName))];
  const parts = agents.flatMap((agent) => {
    const ids = sessions.filter(({ agentName }) => agentName === agent).map((one) => one.sessionId);
    const batches = Math.ceil(ids.length / AT_ONCE);
    return Array.from({ length: batches }, (_, index) => ({
      agent,
      ids: ids.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
    }));
  });
  const answers = await Promise.all(
    parts.map(({ agent, ids }) =>
      sendJson<{
        readonly results: readonly {
          readonly sessionId: string;
          readonly success: boolean;
          readonly error?: { readonly message: string };
        }[];
      }>("POST", `${pathOf("agents", agent)}/sessions:batchDelete`, { ids, abort }),
    ),
  );
  const results = answers.flatMap((answer) => answer.results);
  return {
    deleted: results.filter(({ success }) => success).length,
    kept: results
      .filter(({ success }) => !success)
      .map(({ sessionId, error }) => ({ sessionId, message: error?.message ?? "not deleted" })),
  };
}
