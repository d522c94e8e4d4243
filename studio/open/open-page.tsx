import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, type LinkProps, Navigate, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactElement, useEffect, useRef, useState } from "react";
import { type FoundById, findQuery } from "../api/snapshot-queries.ts";
import { Button } from "../ui/button.tsx";
import { shortId } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView } from "../ui/views.tsx";

const route = getRouteApi("/open");

/** From nothing but an id to what it names. Programs may say in the address what they think it is. */
export function OpenPage(): ReactElement {
  const { id, session, snapshot, run, trace } = route.useSearch();
  const asked = id ?? session ?? snapshot ?? run ?? trace;
  const navigate = useNavigate();
  return (
    <Page title="Open by id">
      <IdForm
        key={asked}
        id={asked ?? ""}
        onOpen={(next) => void navigate({ to: "/open", search: { id: next } })}
      />
      {asked === undefined ? (
        <EmptyView title="Paste an id.">
          That of a session, a snapshot, a run or a trace, as logs and other tools print it.
        </EmptyView>
      ) : (
        <Matches id={asked} />
      )}
    </Page>
  );
}

function IdForm({
  id,
  onOpen,
}: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
}): ReactElement {
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(id);
  // Whoever comes here has something to paste.
  useEffect(() => box.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== "") onOpen(text.trim());
  };
  return (
    <form onSubmit={submit} className="flex max-w-2xl items-center gap-2 p-5">
      <input
        ref={box}
        aria-label="Id"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="Session, snapshot, run or trace id"
        className="h-8 w-full rounded-md border border-line-strong bg-surface px-3 font-mono text-xs"
      />
      <Button type="submit" look="primary" disabled={text.trim() === ""}>
        Open
      </Button>
    </form>
  );
}

function Matches({ id }: { readonly id: string }): ReactElement {
  const matches = useQuery(findQuery(id));
  return (
    <QueryView query={matches} what="It could not be looked for.">
      {({ found }) => {
        const [first] = found;
        if (first === undefined) {
          return (
            <EmptyView title="Nothing has this id.">
              <p className="font-mono text-xs [overflow-wrap:anywhere]">{id}</p>
              <p>
                It may have been deleted, or be of another server. Traces are kept for a while only.
              </p>
            </EmptyView>
          );
        }
        return found.length === 1 ? (
          <Navigate {...placeOf(first)} replace />
        ) : (
          <Choices found={found} />
        );
      }}
    </QueryView>
  );
}

function Choices({ found }: { readonly found: readonly FoundById[] }): ReactElement {
  return (
    <section className="px-5">
      <h2 className="mb-2 font-medium">Several have this id:</h2>
      <ul>
        {found.map((one, at) => (
          <li key={at}>
            <Link {...placeOf(one)} className="text-accent hover:underline">
              {one.kind} {one.kind === "trace" ? shortId(one.traceId) : `of ${one.agentName}`}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function placeOf(found: FoundById): LinkProps {
  if (found.kind === "trace") return { to: "/traces/$trace", params: { trace: found.traceId } };
  const { agentName: agent, sessionId: session, snapshotId: snap } = found;
  return {
    to: "/agents/$agent/sessions/$session",
    params: { agent, session },
    search: snap === undefined ? {} : { snap },
  };
}
