import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import { agentsQuery, sessionsQuery } from "../api/queries.ts";
import { classNames } from "../ui/class-names.ts";
import { Dialog } from "../ui/dialog.tsx";
import { changePreferences } from "./preferences.ts";

interface Choice {
  readonly label: string;
  readonly kind: string;
  readonly go: () => void;
}

/** Finds agents, sessions and commands by name. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const choices = useChoices(text).slice(0, 12);
  const take = (choice: Choice | undefined): void => {
    onClose();
    choice?.go();
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") take(choices[at]);
    if (step === undefined) return;
    event.preventDefault();
    setAt((at + step + choices.length) % Math.max(choices.length, 1));
  };
  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <input
        role="combobox"
        autoFocus
        aria-expanded
        aria-controls="palette-choices"
        aria-activedescendant={`palette-${at}`}
        aria-label="Search agents, sessions and commands"
        placeholder="Agents, sessions, commands…"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={move}
        className="mb-2 h-9 w-full rounded-md border border-line-strong bg-canvas px-3 text-base"
      />
      <ul id="palette-choices" role="listbox" aria-label="Found">
        {choices.map(({ label, kind, ...choice }, index) => (
          <li
            key={`${kind}/${label}/${index}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => take({ label, kind, ...choice })}
            onKeyDown={() => {}}
            className={classNames(
              "flex cursor-pointer items-center justify-between gap-4 rounded-md px-3 py-1.5",
              index === at && "bg-accent-wash text-accent",
            )}
          >
            <span className="truncate">{label}</span>
            <span className="shrink-0 text-xs text-faint">{kind}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && <p className="py-4 text-center text-soft">Nothing is called so.</p>}
    </Dialog>
  );
}

function useChoices(text: string): readonly Choice[] {
  const navigate = useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const isAsked = text.trim().length > 1;
  const { data: found } = useInfiniteQuery({ ...sessionsQuery({ q: text }), enabled: isAsked });
  const sessions = isAsked ? (found?.pages[0]?.sessions ?? []) : [];
  const places = (["/agents", "/sessions", "/runs", "/traces", "/stats", "/settings"] as const).map(
    (to) => ({
      label: `${to.slice(1, 2).toUpperCase()}${to.slice(2)}`,
      kind: "page",
      go: () => void navigate({ to }),
    }),
  );
  const open = { label: "Open by id", kind: "page", go: () => void navigate({ to: "/open" }) };
  const commands = (["light", "dark", "system"] as const).map((theme) => ({
    label: `Theme: ${theme}`,
    kind: "command",
    go: () => changePreferences({ theme }),
  }));
  const ofAgents = agents.flatMap(({ name: agent }) => [
    {
      label: `Talk to ${agent}`,
      kind: "agent",
      go: () => void navigate({ to: "/agents/$agent/new", params: { agent } }),
    },
    {
      label: agent,
      kind: "agent",
      go: () => void navigate({ to: "/agents/$agent", params: { agent } }),
    },
  ]);
  const ofSessions = sessions.map(({ agentName: agent, sessionId: session, title }) => ({
    label: title ?? session,
    kind: `session of ${agent}`,
    go: () => void navigate({ to: "/agents/$agent/sessions/$session", params: { agent, session } }),
  }));
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const named = [...ofAgents, ...places, open, ...commands].filter(({ label }) =>
    words.every((word) => label.toLowerCase().includes(word)),
  );
  const id = text.trim();
  const byId = {
    label: `Open ${id}`,
    kind: "by id",
    go: () => void navigate({ to: "/open", search: { id } }),
  };
  return [...named, ...ofSessions, ...(isAsked && !/\s/.test(id) ? [byId] : [])];
}
