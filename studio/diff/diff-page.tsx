import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeftRight, ChevronRight } from "lucide-react";
import { lazy, type ReactElement, type ReactNode, Suspense } from "react";
import { diffQuery, snapshotQuery, snapshotsQuery } from "../api/snapshot-queries.ts";
import type { SnapshotDiff, SnapshotMeta } from "../api/types.ts";
import { MessagePart } from "../session/message-part.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { ago, plural, shortId } from "../ui/formats.ts";
import { Page } from "../ui/page.tsx";
import { PatchList } from "../ui/patch-list.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { EmptyView, Skeleton } from "../ui/views.tsx";

const MergeView = lazy(async () => ({
  default: (await import("../code/merge-view.tsx")).MergeView,
}));
const route = getRouteApi("/agents/$agent/sessions/$session/diff");

/** What leads from one snapshot to another, wherever they stand in the tree. */
export function DiffPage(): ReactElement {
  const params = route.useParams();
  const { from, to } = route.useSearch();
  const navigate = useNavigate();
  const tree = useQuery(snapshotsQuery(params));
  const go = (next: { readonly from?: string; readonly to?: string }): void =>
    void navigate({
      to: "/agents/$agent/sessions/$session/diff",
      params,
      search: { ...(from && { from }), ...(to && { to }), ...next },
      replace: true,
    });
  const snapshots = tree.data?.snapshots ?? [];
  return (
    <Page
      title="Diff"
      about={
        <span className="flex flex-wrap items-center gap-2">
          <Chooser
            label="From"
            value={from}
            snapshots={snapshots}
            onChange={(id) => go({ from: id })}
          />
          <ChevronRight className="size-4 text-faint" aria-hidden />
          <Chooser label="To" value={to} snapshots={snapshots} onChange={(id) => go({ to: id })} />
          <Button
            small
            disabled={from === undefined || to === undefined}
            onClick={() => from && to && go({ from: to, to: from })}
          >
            <ArrowLeftRight aria-hidden /> Swap
          </Button>
        </span>
      }
      actions={
        <Link to="/agents/$agent/sessions/$session" params={params} className={buttonClass({})}>
          Back to the session
        </Link>
      }
    >
      {from === undefined || to === undefined ? (
        <EmptyView title="Choose two snapshots." />
      ) : (
        <Compared key={`${from}/${to}`} agent={params.agent} from={from} to={to} />
      )}
    </Page>
  );
}

function Chooser({
  label,
  value,
  snapshots,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly snapshots: readonly SnapshotMeta[];
  readonly onChange: (snapshotId: string) => void;
}): ReactElement {
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
      className="h-7 rounded-md border border-line-strong bg-surface px-2 font-mono text-xs"
    >
      {value === undefined && <option value="">–</option>}
      {snapshots.map(({ snapshotId, createdAt, event, status }) => (
        <option key={snapshotId} value={snapshotId}>
          {shortId(snapshotId)} · {ago(createdAt)} · {event === "turn-end" ? status : event}
        </option>
      ))}
    </select>
  );
}

function Compared({
  agent,
  from,
  to,
}: {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
}): ReactElement {
  const diff = useQuery(diffQuery(agent, from, to));
  return (
    <QueryView query={diff} lines={8} what="The two could not be compared.">
      {(found) => (
        <div className="flex flex-col gap-5 p-5">
          <Section title="State" about={plural(found.custom.length, "change")}>
            <StateDiff {...{ agent, from, to }} patch={found.custom} />
          </Section>
          <Section
            title="Messages"
            about={`${found.messages.common} in common · − ${found.messages.removed.length} · + ${found.messages.added.length}`}
          >
            <Messages sign="−" messages={found.messages.removed} />
            <Messages sign="+" messages={found.messages.added} />
          </Section>
          <ArtifactsDiff artifacts={found.artifacts} />
        </div>
      )}
    </QueryView>
  );
}

function StateDiff({
  agent,
  from,
  to,
  patch,
}: {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
  readonly patch: SnapshotDiff["custom"];
}): ReactElement {
  const before = useQuery(snapshotQuery(agent, from, "custom"));
  const after = useQuery(snapshotQuery(agent, to, "custom"));
  if (patch.length === 0) return <p className="text-soft">The state is the same.</p>;
  return (
    <QueryView query={before}>
      {({ state: old }) => (
        <div className="flex flex-col gap-3">
          <PatchList patch={patch} before={old?.custom ?? null} />
          <QueryView query={after}>
            {({ state: young }) => (
              <Suspense fallback={<Skeleton />}>
                <MergeView
                  before={JSON.stringify(old?.custom ?? null, null, 2)}
                  after={JSON.stringify(young?.custom ?? null, null, 2)}
                />
              </Suspense>
            )}
          </QueryView>
        </div>
      )}
    </QueryView>
  );
}

function Messages({
  sign,
  messages,
}: {
  readonly sign: "+" | "−";
  readonly messages: SnapshotDiff["messages"]["added"];
}): ReactElement {
  const look = sign === "+" ? "border-good" : "border-bad";
  return (
    <>
      {messages.map(({ role, content }, index) => (
        <div key={index} className={`mt-2 border-l-2 pl-3 ${look}`}>
          <p className="text-xs font-medium text-faint">
            {sign} {role}
          </p>
          {content.map((part, at) => (
            <MessagePart key={at} part={part} isPlain={role === "user"} />
          ))}
        </div>
      ))}
    </>
  );
}

function ArtifactsDiff({ artifacts }: Pick<SnapshotDiff, "artifacts">): ReactElement {
  const { added, removed, changed } = artifacts;
  const lines = [
    ...added.map(({ name }) => ["added", name, "text-good"] as const),
    ...removed.map(({ name }) => ["removed", name, "text-bad"] as const),
    ...changed.map(({ name }) => ["changed", name, "text-warn"] as const),
  ];
  return (
    <Section title="Artifacts" about={plural(lines.length, "change")}>
      {lines.length === 0 && <p className="text-soft">The artifacts are the same.</p>}
      <ul>
        {lines.map(([word, name, look]) => (
          <li key={`${word}/${name}`}>
            <span className={look}>{word}</span> {name ?? "one without a name"}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Section({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-surface p-4">
      <h2 className="mb-2 flex items-baseline gap-3 text-base font-semibold">
        {title} <span className="text-sm font-normal text-soft">{about}</span>
      </h2>
      {children}
    </section>
  );
}
