import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "virtual:icons";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import type { SessionName } from "../api/queries.ts";
import { findTextQuery } from "../api/snapshot-queries.ts";
import { IconButton } from "../ui/button.tsx";
import { count } from "../ui/formats.ts";

/** Finds a text in all messages: the browser's own search sees only those that are in sight. */
export function FindBar({
  name,
  snapshotId,
  message,
  onShow,
  onClose,
}: {
  readonly name: SessionName;
  readonly snapshotId: string;
  /** The message that is shown now. */
  readonly message: number | undefined;
  readonly onShow: (message: number) => void;
  readonly onClose: () => void;
}): ReactElement {
  const client = useQueryClient();
  const [typed, setTyped] = useState("");
  const query = findTextQuery(name, snapshotId, typed.trim());
  const isAsked = typed.trim() !== "";
  const { data: found, error } = useQuery({ ...query, enabled: isAsked });
  const go = async (step: 1 | -1): Promise<void> => {
    if (!isAsked) return;
    // Who is quick does not have to press twice.
    const places = await client.fetchQuery(query);
    const next =
      step === 1
        ? (places.find((place) => place > (message ?? -1)) ?? places[0])
        : (places.findLast((place) => place < (message ?? Infinity)) ?? places.at(-1));
    if (next !== undefined) onShow(next);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    // What goes wrong is shown below.
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1).catch(() => {});
  };
  return (
    <div
      role="search"
      className="flex items-center gap-2 border-b border-line bg-surface px-5 py-1.5"
    >
      <input
        type="search"
        aria-label="Find in the messages"
        placeholder="Find in the messages"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={press}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-canvas px-2"
      />
      <p role="status" className="text-xs text-soft tabular-nums">
        {error?.message ?? (isAsked && found && told(found, message))}
      </p>
      <IconButton label="Previous" disabled={!found?.length} onClick={() => void go(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Next" disabled={!found?.length} onClick={() => void go(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label="Stop searching" onClick={onClose}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}

function told(found: readonly number[], message: number | undefined): string {
  if (found.length === 0) return "no message says it";
  const at = message === undefined ? -1 : found.indexOf(message);
  return at < 0 ? `${count(found.length)} found` : `${count(at + 1)} of ${count(found.length)}`;
}
