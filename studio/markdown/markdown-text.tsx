import {
  lazy,
  memo,
  type ReactElement,
  startTransition,
  Suspense,
  useEffect,
  useMemo,
  useState,
} from "react";
import { Button } from "../ui/button.tsx";
import { bytes } from "../ui/formats.ts";
import { splitBlocks } from "./split-blocks.ts";

const MarkdownBlock = lazy(async () => ({
  default: (await import("./markdown-block.tsx")).MarkdownBlock,
}));

// Longer texts take seconds to lay out.
const LONGEST = 65_536;
// As much as can be laid out without holding up the page.
const AT_ONCE = 2048;

/** Markdown, block by block: while text streams in, only its last block is read again. What is long comes piece by piece. */
export const MarkdownText = memo(function MarkdownText({
  text,
}: {
  readonly text: string;
}): ReactElement {
  const [isForced, setForced] = useState(false);
  const isLong = text.length > LONGEST && !isForced;
  const blocks = useMemo(() => (isLong ? [] : splitBlocks(text)), [text, isLong]);
  const count = useGradually(blocks);
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
        {blocks.slice(0, count).map((block, index) => (
          <MarkdownBlock key={index} text={block} />
        ))}
      </Suspense>
    </div>
  );
});

/** How many of the blocks are laid out by now: a few at once, and then as many more, whenever the page has time. */
function useGradually(blocks: readonly string[]): number {
  const [count, setCount] = useState(() => countFrom(blocks, 0));
  useEffect(() => {
    if (count < blocks.length) startTransition(() => setCount(countFrom(blocks, count)));
  }, [blocks, count]);
  return count;
}

function countFrom(blocks: readonly string[], first: number): number {
  let length = 0;
  let count = first;
  while (count < blocks.length && length < AT_ONCE) {
    length += blocks[count]?.length ?? 0;
    count += 1;
  }
  return count;
}
