import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { pathOf, sendJson } from "../api/request.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { shortId } from "../ui/formats.ts";

/** Makes a session of its own that starts from a snapshot. */
export function ForkDialog({
  agent,
  snapshotId,
  onClose,
}: {
  readonly agent: string;
  readonly snapshotId: string;
  readonly onClose: () => void;
}): ReactElement {
  const client = useQueryClient();
  const navigate = useNavigate();
  const forking = useMutation({
    mutationFn: () =>
      sendJson<{ readonly sessionId: string }>(
        "POST",
        `${pathOf("agents", agent, "snapshots", snapshotId)}/fork`,
        { as: "session" },
      ),
    onSuccess: ({ sessionId }) => {
      void client.invalidateQueries({ queryKey: ["sessions"] });
      onClose();
      const params = { agent, session: sessionId };
      void navigate({ to: "/agents/$agent/sessions/$session", params });
    },
  });
  return (
    <Dialog
      title={`Fork from ${shortId(snapshotId)}?`}
      about="A new session begins with everything up to here. This session stays as it is."
      onClose={onClose}
    >
      {forking.error && (
        <p role="alert" className="mb-3 text-bad">
          {forking.error.message}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={forking.isPending} onClick={() => forking.mutate()}>
          Fork
        </Button>
      </div>
    </Dialog>
  );
}
