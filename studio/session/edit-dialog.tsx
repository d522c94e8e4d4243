import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { diffJson, type Json, type JsonPatchOperation } from "turnkeep/protocol";
import { type SessionName } from "../api/queries.ts";
import { snapshotQuery } from "../api/snapshot-queries.ts";
import { pathOf, sendJson } from "../api/request.ts";
import { JsonEditor } from "../code/json-editor.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { shortId } from "../ui/formats.ts";
import { PatchList } from "../ui/patch-list.tsx";
import { QueryView } from "../ui/query-view.tsx";
import type { Viewpoint } from "./viewpoint.ts";

/** Changes the state of a snapshot on a branch of its own, or in a new session. The snapshot itself stays as it is. */
export function EditDialog({
  name,
  view,
  snapshotId,
  onClose,
}: {
  readonly name: SessionName;
  readonly view: Viewpoint;
  readonly snapshotId: string;
  readonly onClose: () => void;
}): ReactElement {
  const snapshot = useQuery(snapshotQuery(name.agent, snapshotId, "custom"));
  return (
    <Dialog
      wide
      title={`Edit the state at ${shortId(snapshotId)}`}
      about="The snapshot stays as it is: what you save is a new one."
      onClose={onClose}
    >
      <QueryView query={snapshot}>
        {({ state }) => (
          <Editor {...{ name, view, snapshotId, onClose }} before={state?.custom ?? null} />
        )}
      </QueryView>
    </Dialog>
  );
}

interface Forked {
  readonly snapshotId: string;
  readonly sessionId: string;
}

function Editor({
  name: { agent, session },
  view,
  snapshotId,
  before,
  onClose,
}: {
  readonly name: SessionName;
  readonly view: Viewpoint;
  readonly snapshotId: string;
  readonly before: Json;
  readonly onClose: () => void;
}): ReactElement {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [edited, setEdited] = useState<Edited>(() => ({ text: JSON.stringify(before, null, 2) }));
  const [as, setAs] = useState<Place>("branch");
  const [label, setLabel] = useState("");
  const parsed = parse(edited);
  const patch = "value" in parsed ? diffJson(before, parsed.value) : [];
  const saving = useMutation({
    mutationFn: () =>
      sendJson<Forked>("POST", `${pathOf("agents", agent, "snapshots", snapshotId)}/fork`, {
        as,
        patch:
          before === null && "value" in parsed
            ? [{ op: "add", path: "/custom", value: parsed.value }]
            : patch.map(below),
        ...(label.trim() !== "" && { label: label.trim() }),
      }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ["sessions"] });
      onClose();
      if (made.sessionId === session) view.choose(made.snapshotId);
      else {
        const params = { agent, session: made.sessionId };
        void navigate({ to: "/agents/$agent/sessions/$session", params });
      }
    },
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 md:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          <JsonEditor
            label="State as JSON"
            value={edited.text}
            onChange={(text, errorAt) => setEdited({ text, errorAt })}
          />
          {"problem" in parsed ? (
            <p role="alert" className="mt-1 text-bad">
              {parsed.problem}
            </p>
          ) : (
            <p className="mt-1 text-good">Valid JSON</p>
          )}
        </div>
        <div className="min-w-0">
          <h3 className="mb-1 text-xs font-medium text-faint">Change</h3>
          {patch.length === 0 ? (
            <p className="text-soft">Nothing is changed.</p>
          ) : (
            <PatchList patch={patch} before={before} />
          )}
        </div>
      </div>
      {saving.error && (
        <p role="alert" className="text-bad">
          {saving.error.message}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-4">
        <SavingAs as={as} onChange={setAs} />
        <input
          aria-label="Label"
          placeholder="Label (optional)"
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          className="h-8 rounded-md border border-line-strong bg-canvas px-2"
        />
        <span className="flex-1" />
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={"problem" in parsed || saving.isPending}
          onClick={() => saving.mutate()}
        >
          Save and continue
        </Button>
      </div>
    </div>
  );
}

type Place = "branch" | "session";

function SavingAs({
  as,
  onChange,
}: {
  readonly as: Place;
  readonly onChange: (as: Place) => void;
}): ReactElement {
  return (
    <>
      {(["branch", "session"] as const).map((one) => (
        <label key={one} className="flex items-center gap-1.5">
          <input
            type="radio"
            checked={as === one}
            onChange={() => onChange(one)}
            className="accent-accent"
          />
          {one === "branch" ? "as a branch here" : "as a new session"}
        </label>
      ))}
    </>
  );
}

function below(operation: JsonPatchOperation): JsonPatchOperation {
  return { ...operation, path: `/custom${operation.path}` };
}

interface Edited {
  readonly text: string;
  readonly errorAt?: number | undefined;
}

function parse({ text, errorAt }: Edited): { readonly value: Json } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const lines = text.slice(0, errorAt).split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
    const where = errorAt === undefined ? "" : ` from ${place} on`;
    return { problem: `This is no JSON${where}: ${(error as SyntaxError).message}` };
  }
}
