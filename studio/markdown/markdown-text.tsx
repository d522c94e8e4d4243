import { lazy, memo, type ReactElement, Suspense, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { bytes } from "../ui/formats.ts";
import { splitBlocks } from "./split-blocks.ts";

const MarkdownBlock = lazy(async () => ({
  default: (await import("./markdown-block.tsx")).MarkdownBlock,
}));

// Longer texts take seconds to lay out.
const LONGEST = 65_536;

/** Markdown, block by block: while text streams in, only its last block is read again. */
export const MarkdownText = memo(function MarkdownText({
  text,
}: {
  readonly text: string;
}): ReactElement {
  const [isForced, setForced] = useState(false);
  const isLong = text.length > LONGEST && !isForced;
  const blocks = useMemo(() => (isLong ? [] : splitBlocks(text)), [text, isLong]);
  if (isLong) {
    return (
      <div>
        <Button small onClick={() => setForced(true)}>
          Lay out {bytes(text.length)} of Markdown
        </Button>
        <pre className="mt-2 max-h-96 overflow-auto font-mono text-xs whitespace-pre-wrap">
          {text}
        </pre>
      </div>
    );
  }
  return (
    <div className="prose-studio">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        {blocks.map((block, index) => (
          <MarkdownBlock key={index} text={block} />
        ))}
      </Suspense>
    </div>
  );
});
