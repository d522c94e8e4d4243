import { useQuery } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import type { SessionName } from "../api/queries.ts";
import { diffQuery, snapshotQuery } from "../api/snapshot-queries.ts";
import type { SnapshotDiff, SnapshotPage } from "../api/types.ts";
import { count, plural } from "../ui/formats.ts";
import { PatchList } from "../ui/patch-list.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { ArtifactsDiff } from "./artifacts-diff.tsx";
import { MessagesDiff } from "./messages-diff.tsx";
import { Sides } from "./sides.tsx";
import { TextDiff } from "./text-diff.tsx";

export interface TwoSnapshots {
  readonly name: SessionName;
  readonly from: string;
  readonly to: string;
}

/** Two snapshots of a session: how each came to be, and what the one has that the other has not. */
export function Compared({
  tree,
  scope,
  ...two
}: TwoSnapshots & {
  readonly tree: SnapshotPage;
  readonly scope: "all" | "state" | "messages" | "artifacts";
}): ReactElement {
  const { name, from, to } = two;
  const diff = useQuery(diffQuery(name.agent, from, to));
  const isIn = (part: typeof scope): boolean => scope === "all" || scope === part;
  return (
    <QueryView query={diff} lines={8} what="The two could not be compared.">
      {({ custom, messages, artifacts }) => (
        <div className="flex flex-col gap-5 p-5">
          <Sides {...two} tree={tree} />
          {isIn("state") && (
            <Section title="State" about={plural(custom.length, "change")}>
              <StateDiff {...two} patch={custom} />
            </Section>
          )}
          {isIn("messages") && (
            <Section
              title="Messages"
              about={`${count(messages.common)} in common · ${count(messages.removed.length)} removed · ${count(messages.added.length)} added`}
            >
              <MessagesDiff messages={messages} />
            </Section>
          )}
          {isIn("artifacts") && (
            <Section title="Artifacts" about={plural(changesIn(artifacts), "change")}>
              <ArtifactsDiff {...two} artifacts={artifacts} />
            </Section>
          )}
        </div>
      )}
    </QueryView>
  );
}

function changesIn({ added, removed, changed }: SnapshotDiff["artifacts"]): number {
  return added.length + removed.length + changed.length;
}

function StateDiff({
  name: { agent },
  from,
  to,
  patch,
}: TwoSnapshots & { readonly patch: SnapshotDiff["custom"] }): ReactElement {
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
              <TextDiff
                label="state"
                language="json"
                before={JSON.stringify(old?.custom ?? null, null, 2)}
                after={JSON.stringify(young?.custom ?? null, null, 2)}
              />
            )}
          </QueryView>
        </div>
      )}
    </QueryView>
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
