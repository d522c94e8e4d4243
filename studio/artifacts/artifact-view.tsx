import { useQuery } from "@tanstack/react-query";
import { Download } from "virtual:icons";
import { type ReactElement, type ReactNode, useState } from "react";
import type { Artifact, Json } from "turnkeep/protocol";
import { apiUrl, ask, pathOf } from "../api/request.ts";
import { CodeEditor } from "../code/code-editor.tsx";
import { MarkdownText } from "../markdown/markdown-text.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { bytes } from "../ui/formats.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { type ArtifactKind, kindOf, languageOf, sizeOf } from "./artifact-kind.ts";

interface ViewProps {
  readonly agent: string;
  readonly snapshotId: string;
  readonly index: number;
  readonly artifact: Artifact;
  /** What else can be done with it. */
  readonly actions?: ReactNode;
}

// More than this is only downloaded.
const LARGEST = 50 * 1024 * 1024;

/** One artifact: as it is meant to be seen, as it is written, and to be taken away. */
export function ArtifactView({
  agent,
  snapshotId,
  index,
  artifact,
  actions,
}: ViewProps): ReactElement {
  const [isSource, setSource] = useState(false);
  const kind = kindOf(artifact);
  const size = sizeOf(artifact);
  const parts = artifact.parts.map((_, part) =>
    apiUrl(
      pathOf(
        "agents",
        agent,
        "snapshots",
        snapshotId,
        "artifacts",
        String(index),
        "parts",
        String(part),
      ),
    ),
  );
  const hasSource = kind === "markdown" || kind === "html" || kind === "json";
  return (
    <div className="flex h-full flex-col">
      <div className="flex items-center gap-2 px-4 py-2">
        <h3 className="min-w-0 flex-1 truncate font-medium">
          {artifact.name ?? `Artifact ${index + 1}`}
        </h3>
        {actions}
        {hasSource && (
          <Button small onClick={() => setSource(!isSource)} aria-pressed={isSource}>
            Source
          </Button>
        )}
        <a
          href={parts[0]}
          download={artifact.name ?? true}
          className={buttonClass({ small: true })}
        >
          <Download aria-hidden /> Download
        </a>
      </div>
      <div className="min-h-0 flex-1 overflow-auto px-4 pb-4">
        {size > LARGEST ? (
          <p className="text-soft">{bytes(size)}: too long to be shown. Download it.</p>
        ) : (
          parts.map((url) => (
            <PartView
              key={url}
              url={url}
              kind={isSource ? "text" : kind}
              name={artifact.name ?? ""}
            />
          ))
        )}
      </div>
    </div>
  );
}

function PartView(props: {
  readonly url: string;
  readonly kind: ArtifactKind;
  readonly name: string;
}): ReactElement {
  const { url, kind, name } = props;
  if (kind === "image") {
    return (
      <img
        src={url}
        alt={name}
        className="max-w-full min-w-16 rounded border border-line bg-[repeating-conic-gradient(var(--hover)_0_25%,transparent_0_50%)] bg-size-[16px_16px] [image-rendering:pixelated]"
      />
    );
  }
  if (kind === "audio") return <audio controls src={url} className="w-full" />;
  if (kind === "video") return <video controls src={url} className="w-full" />;
  if (kind === "other") return <p className="text-soft">It cannot be shown here. Download it.</p>;
  return <TextPart {...props} />;
}

function TextPart({
  url,
  kind,
  name,
}: {
  readonly url: string;
  readonly kind: ArtifactKind;
  readonly name: string;
}): ReactElement {
  const text = useQuery({
    queryKey: ["artifact", url],
    queryFn: async ({ signal }): Promise<string> => await (await ask(url, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryView query={text} what="The artifact could not be loaded.">
      {(content) => <TextContent text={content} kind={kind} name={name} />}
    </QueryView>
  );
}

function TextContent({
  text,
  kind,
  name,
}: {
  readonly text: string;
  readonly kind: ArtifactKind;
  readonly name: string;
}): ReactElement {
  const value = kind === "json" ? parse(text) : undefined;
  if (kind === "markdown") return <MarkdownText text={text} />;
  if (value !== undefined) return <JsonTree value={value} name={name} />;
  if (kind === "html") {
    // No scripts, no forms, no way out: only what it looks like.
    return (
      <iframe
        title={name}
        sandbox=""
        srcDoc={text}
        className="h-96 w-full rounded border border-line bg-white"
      />
    );
  }
  return (
    <CodeEditor
      label={name === "" ? "Artifact" : name}
      value={text}
      language={languageOf(name)}
      height="max-h-[60vh]"
    />
  );
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
