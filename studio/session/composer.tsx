import { Paperclip, SendHorizontal, Square, Timer, X } from "virtual:icons";
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { Message, Part } from "turnkeep/protocol";
import { useKeys } from "../app/use-keys.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { bytes } from "../ui/formats.ts";
import { withCommandKey } from "../ui/key-names.ts";
import type { TurnToSend } from "./use-session-run.ts";

const MOST_ATTACHED = 5 * 1024 * 1024;

/** The box for what comes next. What was typed stays through reloads. */
export function Composer({
  draftKey,
  prompt,
  onPromptTaken,
  isRunning,
  refusal,
  anchor,
  canDetach = true,
  onSend,
  onStop,
}: {
  readonly draftKey: string;
  /** A text to begin with. */
  readonly prompt: string;
  readonly onPromptTaken: () => void;
  readonly isRunning: boolean;
  /** Why nothing can be sent now. */
  readonly refusal?: string;
  /** What it goes on from. */
  readonly anchor: string;
  readonly canDetach?: boolean;
  readonly onSend: (turn: TurnToSend) => void;
  readonly onStop: () => void;
}): ReactElement {
  const [text, setText] = useDraft(draftKey);
  const [files, setFiles] = useState<readonly Attached[]>([]);
  const [refused, setRefused] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (prompt === "") return;
    setText(prompt);
    onPromptTaken();
    box.current?.focus();
  }, [prompt, onPromptTaken, setText]);
  const canSend = !isRunning && refusal === undefined && (text.trim() !== "" || files.length > 0);
  const send = (isInBackground: boolean): void => {
    if (!canSend) return;
    onSend({ message: messageOf(text, files), ...(isInBackground && { isInBackground }) });
    setText("");
    setFiles([]);
    setRefused("");
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(canDetach && (event.metaKey || event.ctrlKey));
  };
  useKeys({ "mod+.": onStop });
  return (
    <div className="border-t border-line bg-surface px-5 py-3">
      <div className="mx-auto max-w-3xl">
        <Attachments files={files} onChange={setFiles} />
        {refused !== "" && (
          <p role="alert" className="mb-1.5 text-xs text-bad">
            Not attached, for more than {bytes(MOST_ATTACHED)}: {refused}
          </p>
        )}
        <div className="flex items-end gap-2 rounded-lg border border-line-strong bg-canvas p-1.5 focus-within:border-accent">
          <input
            ref={chooser}
            type="file"
            multiple
            aria-label="Files to attach"
            className="hidden"
            onChange={({ target }) => {
              const chosen = [...(target.files ?? [])];
              const small = chosen.filter(({ size }) => size <= MOST_ATTACHED);
              setRefused(namesOf(chosen.filter((file) => !small.includes(file))));
              void readFiles(small).then((read) => setFiles([...files, ...read]));
              target.value = "";
            }}
          />
          <IconButton label="Attach files" onClick={() => chooser.current?.click()}>
            <Paperclip aria-hidden />
          </IconButton>
          <textarea
            ref={box}
            aria-label="Message"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={press}
            rows={Math.min(text.split("\n").length, 10)}
            placeholder="Write a message…"
            className="min-h-7 flex-1 resize-none bg-transparent py-1 text-base outline-none"
          />
          <Actions {...{ isRunning, canDetach, canSend }} onSend={send} onStop={onStop} />
        </div>
        <p className="mt-1.5 text-xs text-faint">
          {refusal ?? `${anchor} · Enter sends`}
          {refusal === undefined &&
            canDetach &&
            ` · ${withCommandKey("Enter")} sends in the background`}
        </p>
      </div>
    </div>
  );
}

function Actions({
  isRunning,
  canDetach,
  canSend,
  onSend,
  onStop,
}: {
  readonly isRunning: boolean;
  readonly canDetach: boolean;
  readonly canSend: boolean;
  readonly onSend: (isInBackground: boolean) => void;
  readonly onStop: () => void;
}): ReactElement {
  if (isRunning) {
    return (
      <Button onClick={onStop}>
        <Square aria-hidden /> Stop
      </Button>
    );
  }
  return (
    <>
      {canDetach && (
        <IconButton label="Send in the background" disabled={!canSend} onClick={() => onSend(true)}>
          <Timer aria-hidden />
        </IconButton>
      )}
      <Button look="primary" disabled={!canSend} onClick={() => onSend(false)}>
        <SendHorizontal aria-hidden /> Send
      </Button>
    </>
  );
}

interface Attached {
  readonly name: string;
  readonly part: Part;
  readonly size: number;
}

function Attachments({
  files,
  onChange,
}: {
  readonly files: readonly Attached[];
  readonly onChange: (files: readonly Attached[]) => void;
}): ReactElement | null {
  if (files.length === 0) return null;
  return (
    <ul className="mb-1.5 flex flex-wrap gap-2">
      {files.map((file) => (
        <li
          key={file.name}
          className="flex items-center gap-1 rounded-md bg-sunken py-0.5 pr-0.5 pl-2 text-xs"
        >
          {file.name} ({bytes(file.size)})
          <IconButton
            label={`Remove ${file.name}`}
            className="size-5"
            onClick={() => onChange(files.filter((one) => one !== file))}
          >
            <X aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function namesOf(files: readonly File[]): string {
  return files.map(({ name }) => name).join(", ");
}

async function readFiles(files: readonly File[]): Promise<readonly Attached[]> {
  return await Promise.all(
    files.map(async (file) => {
      const url = await dataUrlOf(file);
      const media = { url, ...(file.type !== "" && { contentType: file.type }) };
      return { name: file.name, size: file.size, part: { media } };
    }),
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("It cannot be read.")));
    reader.readAsDataURL(file);
  });
}

function messageOf(text: string, files: readonly Attached[]): Message {
  const said = text.trim() === "" ? [] : [{ text }];
  return { role: "user", content: [...said, ...files.map(({ part }) => part)] };
}

function useDraft(key: string): readonly [string, (text: string) => void] {
  const place = `draft:${key}`;
  const [text, setText] = useState(() => sessionStorage.getItem(place) ?? "");
  const change = (next: string): void => {
    setText(next);
    if (next === "") sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, next);
  };
  return [text, change];
}
