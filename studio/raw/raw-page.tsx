import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Check, Copy, Download } from "virtual:icons";
import { lazy, type ReactElement, Suspense, useState } from "react";
import { type SessionName, sessionQuery } from "../api/queries.ts";
import { apiUrl, pathOf } from "../api/request.ts";
import { snapshotQuery } from "../api/snapshot-queries.ts";
import { useKeys } from "../app/use-keys.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { bytes, shortId } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView, Skeleton } from "../ui/views.tsx";

const CodeEditor = lazy(async () => ({
  default: (await import("../code/code-editor.tsx")).CodeEditor,
}));
const route = getRouteApi("/agents/$agent/sessions/$session/raw");

// More than this is only downloaded.
const LARGEST = 20 * 1024 * 1024;

/** A snapshot as the server tells it: the one in the address, or the head. */
export function RawPage(): ReactElement {
  const name = route.useParams();
  const { snap } = route.useSearch();
  const session = useQuery(sessionQuery(name));
  const snapshotId = snap ?? session.data?.head?.snapshotId;
  if (snapshotId !== undefined) return <Raw key={snapshotId} {...{ name, snapshotId }} />;
  return (
    <Page title="Raw JSON" actions={<Back name={name} />}>
      <QueryView query={session} what="The session could not be loaded.">
        {() => (
          <EmptyView title="Nothing was kept yet.">A turn keeps a snapshot when it ends.</EmptyView>
        )}
      </QueryView>
    </Page>
  );
}

function Raw({
  name,
  snapshotId,
}: {
  readonly name: SessionName;
  readonly snapshotId: string;
}): ReactElement {
  const snapshot = useQuery(snapshotQuery(name.agent, snapshotId));
  const text = snapshot.data && JSON.stringify(snapshot.data, null, 2);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (text === undefined) return;
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  useKeys({ c: () => void copy() });
  return (
    <Page
      title="Raw JSON"
      about={
        <>
          snapshot <span className="font-mono text-xs">{shortId(snapshotId)}</span>
          {` of session ${shortId(name.session)}`}
          {text !== undefined && ` · ${bytes(text.length)}`}
        </>
      }
      actions={
        <>
          <Button onClick={() => void copy()} disabled={text === undefined} title="c">
            {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
            <span aria-live="polite">{isCopied ? "Copied" : "Copy"}</span>
          </Button>
          <a
            href={apiUrl(pathOf("agents", name.agent, "snapshots", snapshotId))}
            download={`${snapshotId}.json`}
            className={buttonClass({})}
          >
            <Download aria-hidden /> Download
          </a>
          <Back name={name} snap={snapshotId} />
        </>
      }
    >
      <QueryView query={snapshot} lines={12} what="The snapshot could not be loaded.">
        {() =>
          text !== undefined && text.length <= LARGEST ? (
            <div className="h-full p-5">
              <Suspense fallback={<Skeleton lines={12} />}>
                <CodeEditor label="Snapshot as JSON" value={text} language="json" height="h-full" />
              </Suspense>
            </div>
          ) : (
            <EmptyView title="Too long to be shown here.">Copy or download it.</EmptyView>
          )
        }
      </QueryView>
    </Page>
  );
}

function Back({
  name,
  snap,
}: {
  readonly name: SessionName;
  readonly snap?: string;
}): ReactElement {
  return (
    <Link
      to="/agents/$agent/sessions/$session"
      params={name}
      search={snap === undefined ? {} : { snap }}
      className={buttonClass({})}
    >
      Back to the session
    </Link>
  );
}
