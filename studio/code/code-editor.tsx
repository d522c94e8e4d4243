import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { type ReactElement, useEffect, useRef } from "react";
import { editorExtensions, type Language } from "./editor-extensions.ts";
import { jsonErrorAt } from "./json-error.ts";

/** A text with line numbers, colours and a search of its own; one that can be changed, if somebody wants to know. */
export function CodeEditor({
  label,
  value,
  language,
  onChange,
  height = "max-h-80",
}: {
  readonly label: string;
  readonly value: string;
  readonly language: Language;
  /** Told of every change; of JSON, also where it stops being that. */
  readonly onChange?: (text: string, errorAt?: number) => void;
  readonly height?: string;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const report = useRef(onChange);
  report.current = onChange;
  const isEditable = onChange !== undefined;
  useEffect(() => {
    if (place.current === null) return undefined;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          editorExtensions({ label, language, isEditable, text: value }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            report.current?.(text, language === "json" ? jsonErrorAt(text) : undefined);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
    // Later values are put in below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [label, language, isEditable]);
  useEffect(() => {
    const editor = view.current;
    const current = editor?.state.doc.toString();
    if (!editor || current === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return (
    <div
      ref={place}
      className={`${height} overflow-auto rounded-md border border-line-strong bg-canvas text-xs focus-within:border-accent [&_.cm-editor]:h-full`}
    />
  );
}
