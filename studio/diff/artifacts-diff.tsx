import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Artifact } from "turnkeep/protocol";
import type { SnapshotDiff } from "../api/types.ts";
import { languageOf, sizeOf, textOf } from "../artifacts/artifact-kind.ts";
import { bytes } from "../ui/formats.ts";
import type { TwoSnapshots } from "./compared.tsx";
import { TextDiff } from "./text-diff.tsx";

/** What became of the artifacts; where they are texts, line by line. */
export function ArtifactsDiff({
  artifacts: { added, removed, changed },
  ...two
}: TwoSnapshots & Pick<SnapshotDiff, "artifacts">): ReactElement {
  const { from, to } = two;
  if (added.length + removed.length + changed.length === 0) {
    return <p className="text-soft">The artifacts are the same.</p>;
  }
  return (
    <ul className="flex flex-col gap-3">
      {changed.map(({ name, before, after }) => (
        <li key={`changed/${name}`}>
          <p className="mb-1">
            <span className="text-warn">changed</span>{" "}
            <OpenArtifact {...two} snap={to} artifact={after} /> {bytes(sizeOf(before))} →{" "}
            {bytes(sizeOf(after))}
          </p>
          <ChangedText name={name} before={before} after={after} />
        </li>
      ))}
      {added.map((artifact, at) => (
        <li key={`added/${at}`}>
          <span className="text-good">added</span>{" "}
          <OpenArtifact {...two} snap={to} artifact={artifact} /> {bytes(sizeOf(artifact))}
        </li>
      ))}
      {removed.map((artifact, at) => (
        <li key={`removed/${at}`}>
          <span className="text-bad">removed</span>{" "}
          <OpenArtifact {...two} snap={from} artifact={artifact} /> {bytes(sizeOf(artifact))}
        </li>
      ))}
    </ul>
  );
}

/** The artifact where it can be looked at. */
function OpenArtifact({
  name: params,
  snap,
  artifact: { name },
}: TwoSnapshots & { readonly snap: string; readonly artifact: Artifact }): ReactElement {
  if (name === undefined) return <>one without a name</>;
  return (
    <Link
      to="/agents/$agent/sessions/$session"
      params={params}
      search={{ snap, panel: "artifacts", art: name }}
      className="font-medium text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

function ChangedText({
  name,
  before,
  after,
}: SnapshotDiff["artifacts"]["changed"][number]): ReactElement {
  const [old, young] = [textOf(before), textOf(after)];
  if (old === undefined || young === undefined) {
    return <p className="text-soft">It is no text. Open it to look at it.</p>;
  }
  return <TextDiff label={name} language={languageOf(name)} before={old} after={young} />;
}
