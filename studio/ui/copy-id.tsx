import { Check, Copy } from "virtual:icons";
import { type ReactElement, useState } from "react";
import { shortId } from "./formats.ts";

/** An id, cut to what tells it apart, that can be copied whole. */
export function CopyId({
  id,
  label,
}: {
  readonly id: string;
  readonly label: string;
}): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      onClick={() => void copy()}
      title={`Copy ${label}: ${id.slice(0, 64)}`}
      className="-ml-1 inline-flex max-w-full items-center gap-1 rounded px-1 font-mono text-xs text-soft hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{shortId(id)}</span>
      {isCopied ? (
        <Check className="size-3 text-good" aria-hidden />
      ) : (
        <Copy className="size-3" aria-hidden />
      )}
      <span className="sr-only">{isCopied ? "copied" : `copy ${label}`}</span>
    </button>
  );
}
