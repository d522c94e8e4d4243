import { useQuery } from "@tanstack/react-query";
import { Search } from "virtual:icons";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { agentsQuery, type SessionFilter } from "../api/queries.ts";
import { useKeys } from "../app/use-keys.ts";
import { Select } from "../ui/select.tsx";
import { ORDERS } from "./session-order.ts";

const STATUSES = [
  ["", "any status"],
  ["pending", "running"],
  ["interrupted", "waiting for a person"],
  ["completed", "done"],
  ["failed", "failed"],
  ["aborted", "aborted"],
  ["expired", "expired"],
] as const;

const ARTIFACTS = [
  ["", "with or without artifacts"],
  ["true", "with artifacts"],
  ["false", "without artifacts"],
] as const;

const TYPING_MS = 250;

/** What is looked for; it stands in the address. */
export function SessionFilters({
  filter,
  onFilter,
  isOfOne,
}: {
  readonly filter: SessionFilter;
  readonly onFilter: (filter: SessionFilter) => void;
  readonly isOfOne: boolean;
}): ReactElement {
  const { data: agents = [] } = useQuery(agentsQuery);
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filter.q ?? "");
  const set = (name: keyof SessionFilter, value: string): void => {
    const { [name]: _, ...rest } = filter;
    onFilter(value === "" ? rest : { ...rest, [name]: value });
  };
  useEffect(() => setText(filter.q ?? ""), [filter.q]);
  useEffect(() => {
    if (text === (filter.q ?? "")) return undefined;
    const timer = setTimeout(() => set("q", text), TYPING_MS);
    return () => clearTimeout(timer);
  });
  useKeys({ "/": () => box.current?.focus() });
  const names = agents.filter(({ hasStore }) => hasStore).map(({ name }) => [name, name] as const);
  return (
    <div
      role="search"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-5 py-2"
    >
      <label className="relative min-w-52 flex-1 sm:max-w-sm">
        <span className="sr-only">Search title, id and tags</span>
        <Search className="absolute top-2 left-2.5 size-3.5 text-faint" aria-hidden />
        <input
          ref={box}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="Title, id, tag…  ( / )"
          className="h-8 w-full rounded-md border border-line-strong bg-canvas pr-2 pl-8"
        />
      </label>
      <label className="flex items-center gap-1.5">
        <input
          type="checkbox"
          checked={filter.in === "messages"}
          onChange={(event) => set("in", event.target.checked ? "messages" : "")}
          className="accent-accent"
        />
        also in messages
      </label>
      {!isOfOne && (
        <Select
          label="Agent"
          value={filter.agent ?? ""}
          onChange={(value) => set("agent", value)}
          options={[["", "any agent"], ...names]}
        />
      )}
      <Select
        label="Status"
        value={filter.status ?? ""}
        onChange={(value) => set("status", value)}
        options={STATUSES}
      />
      <Select
        label="Artifacts"
        value={filter.art ?? ""}
        onChange={(value) => set("art", value)}
        options={ARTIFACTS}
      />
      <Select
        label="Order"
        value={filter.sort ?? ""}
        onChange={(value) => set("sort", value)}
        options={ORDERS}
      />
      {filter.tag !== undefined && (
        <button
          type="button"
          onClick={() => set("tag", "")}
          className="rounded-full bg-accent-wash px-2 py-0.5 text-xs text-accent"
        >
          tag: {filter.tag} ×
        </button>
      )}
    </div>
  );
}
