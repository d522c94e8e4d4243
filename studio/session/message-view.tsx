import { GitBranch } from "virtual:icons";
import { memo, type ReactElement } from "react";
import type { ElidedPart, ShownMessage } from "../api/types.ts";
import { usePreferences } from "../app/preferences.ts";
import { IconButton } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { MessagePart } from "./message-part.tsx";

const SPEAKERS: Readonly<Record<string, string>> = {
  user: "You",
  model: "Agent",
  tool: "Tools",
  system: "System",
};

/** One message of the history. */
export const MessageView = memo(function MessageView({
  message: { role, content },
  index,
  isPointedAt = false,
  onBranch,
  canBranch,
}: {
  readonly message: ShownMessage;
  readonly index: number;
  /** Whether the address names it. */
  readonly isPointedAt?: boolean;
  readonly onBranch: (text: string) => void;
  readonly canBranch: boolean;
}): ReactElement | null {
  const { showTools } = usePreferences();
  const parts = showTools ? content : content.filter((part) => !isOfTools(part));
  if (parts.length === 0) return null;
  const text = content.map((part) => ("elided" in part ? "" : (part.text ?? ""))).join("");
  return (
    <article
      aria-label={`Message ${index + 1}, ${SPEAKERS[role] ?? role}`}
      data-role={role}
      aria-current={isPointedAt || undefined}
      className="group mx-auto max-w-3xl px-5 py-1.5 aria-[current]:shadow-[inset_2px_0_0_var(--accent)]"
    >
      <div
        className={classNames(
          role === "user" && "rounded-lg border border-line bg-surface px-4 py-2.5",
        )}
      >
        {role !== "tool" && (
          <div className="mb-0.5 flex h-6 items-center gap-2 text-xs font-medium text-faint">
            {SPEAKERS[role] ?? role}
            {role === "user" && (
              <IconButton
                label="Branch from here with this text"
                disabled={!canBranch}
                onClick={() => onBranch(text)}
                className="ml-auto opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
              >
                <GitBranch aria-hidden />
              </IconButton>
            )}
          </div>
        )}
        <div className="flex flex-col gap-2">
          {parts.map((part, at) => (
            <MessagePart key={at} part={part} isPlain={role === "user"} />
          ))}
        </div>
      </div>
    </article>
  );
});

function isOfTools(part: ShownMessage["content"][number]): boolean {
  if ("elided" in part) return isToolKind(part);
  return part.toolRequest !== undefined || part.toolResponse !== undefined;
}

function isToolKind({ kind }: ElidedPart): boolean {
  return kind === "toolRequest" || kind === "toolResponse";
}
