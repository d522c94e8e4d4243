import { MergeView as Merge } from "@codemirror/merge";
import { type ReactElement, useEffect, useRef } from "react";
import { editorExtensions, type Language } from "./editor-extensions.ts";

/** Two texts side by side; what both have is folded away. */
export function MergeView({
  label,
  language,
  before,
  after,
}: {
  readonly label: string;
  readonly language: Language;
  readonly before: string;
  readonly after: string;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const side = (word: string, text: string) => ({
      doc: text,
      extensions: editorExtensions({
        label: `${label}, ${word}`,
        language,
        isEditable: false,
        text,
      }),
    });
    const merge = new Merge({
      a: side("before", before),
      b: side("after", after),
      parent: place.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => merge.destroy();
  }, [label, language, before, after]);
  return (
    <div ref={place} className="max-h-96 overflow-auto rounded-md border border-line text-xs" />
  );
}
