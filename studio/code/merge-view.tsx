import { MergeView as Merge } from "@codemirror/merge";
import { type ReactElement, useEffect, useRef } from "react";
import { editorExtensions } from "./editor-extensions.ts";

/** Two texts side by side; what both have is folded away. */
export function MergeView({
  before,
  after,
}: {
  readonly before: string;
  readonly after: string;
}): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return undefined;
    const side = (label: string, text: string) => ({
      doc: text,
      extensions: editorExtensions({ label, language: "json", isEditable: false, text }),
    });
    const merge = new Merge({
      a: side("Before", before),
      b: side("After", after),
      parent: place.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
    return () => merge.destroy();
  }, [before, after]);
  return (
    <div ref={place} className="max-h-96 overflow-auto rounded-md border border-line text-xs" />
  );
}
