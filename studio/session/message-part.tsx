import { Brain, CornerDownRight, FileDown, Wrench } from "virtual:icons";
import { type ReactElement, type ReactNode, useState } from "react";
import type { Json, Part } from "turnkeep/protocol";
import { ask } from "../api/request.ts";
import type { ElidedPart } from "../api/types.ts";
import { MarkdownText } from "../markdown/markdown-text.tsx";
import { Button } from "../ui/button.tsx";
import { bytes } from "../ui/formats.ts";
import { JsonTree } from "../ui/json-tree.tsx";

/** One part of a message, by its kind. */
export function MessagePart({
  part,
  isPlain = false,
}: {
  readonly part: Part | ElidedPart;
  /** What people write is shown as they wrote it. */
  readonly isPlain?: boolean;
}): ReactElement {
  if ("elided" in part) return <LongPart part={part} isPlain={isPlain} />;
  const { text, reasoning, media, toolRequest, toolResponse } = part;
  if (text !== undefined) {
    return isPlain ? <PlainText text={text} /> : <MarkdownText text={text} />;
  }
  if (reasoning !== undefined) {
    return (
      <Folded icon={<Brain aria-hidden />} label="Reasoning" preview={reasoning}>
        <p className="whitespace-pre-wrap text-soft">{reasoning}</p>
      </Folded>
    );
  }
  if (media !== undefined) return <MediaPart {...media} />;
  if (toolRequest !== undefined) {
    const { name, input = null } = toolRequest;
    return <ToolCard icon={<Wrench aria-hidden />} name={name} word="asked for" value={input} />;
  }
  if (toolResponse !== undefined) {
    const { name, output = null } = toolResponse;
    return (
      <ToolCard icon={<CornerDownRight aria-hidden />} name={name} word="answered" value={output} />
    );
  }
  return <JsonTree value={part} name="part" />;
}

function PlainText({ text }: { readonly text: string }): ReactElement {
  return <p className="text-base whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>;
}

function ToolCard({
  icon,
  name,
  word,
  value,
}: {
  readonly icon: ReactNode;
  readonly name: string;
  readonly word: string;
  readonly value: Json;
}): ReactElement {
  return (
    <Folded
      icon={icon}
      label={
        <>
          <span className="font-mono">{name}</span> <span className="text-faint">{word}</span>
        </>
      }
      preview={JSON.stringify(value)}
    >
      <JsonTree value={value} name={word === "answered" ? "output" : "input"} />
    </Folded>
  );
}

function Folded({
  icon,
  label,
  preview,
  children,
}: {
  readonly icon: ReactNode;
  readonly label: ReactNode;
  readonly preview: string;
  readonly children: ReactNode;
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="rounded-md border border-line bg-sunken text-xs">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left hover:bg-hover [&>svg]:size-3.5 [&>svg]:shrink-0 [&>svg]:text-faint"
      >
        {icon}
        <span className="shrink-0 font-medium">{label}</span>
        {!isOpen && <span className="truncate text-faint">{preview.slice(0, 200)}</span>}
      </button>
      {isOpen && <div className="border-t border-line px-3 py-2">{children}</div>}
    </div>
  );
}

function MediaPart({
  url,
  contentType = "",
}: {
  readonly url: string;
  readonly contentType?: string;
}): ReactElement {
  const isHere = url.startsWith("data:");
  if (isHere && /^(image\/|$)/.test(contentType || "image/")) {
    return (
      <img
        src={url}
        alt="What was attached"
        className="max-h-80 max-w-full rounded-md border border-line"
      />
    );
  }
  if (isHere && contentType.startsWith("audio/")) return <audio controls src={url} />;
  if (isHere && contentType.startsWith("video/"))
    return <video controls src={url} className="max-h-80" />;
  return (
    <p className="flex items-center gap-2 text-soft">
      <FileDown className="size-4" aria-hidden />
      {isHere ? `${contentType} (${bytes(url.length)})` : url.slice(0, 200)}
    </p>
  );
}

function LongPart({
  part: { kind, bytes: size, ref },
  isPlain,
}: {
  readonly part: ElidedPart;
  readonly isPlain: boolean;
}): ReactElement {
  const [whole, setWhole] = useState<Part>();
  const [problem, setProblem] = useState<string>();
  if (whole) return <MessagePart part={whole} isPlain={isPlain} />;
  const load = async (): Promise<void> => {
    try {
      const response = await ask(new URL(ref, location.origin).href);
      setWhole((await response.json()) as Part);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="flex items-center gap-3 rounded-md border border-line bg-sunken px-3 py-2">
      <span className="text-soft">
        {bytes(size)} of {kind}, left out
      </span>
      <Button small onClick={() => void load()}>
        Show
      </Button>
      {problem !== undefined && <span className="text-bad">{problem}</span>}
    </div>
  );
}
