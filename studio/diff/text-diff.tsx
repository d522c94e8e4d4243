import { lazy, type ReactElement, Suspense } from "react";
import type { Language } from "../code/editor-extensions.ts";
import { bytes } from "../ui/formats.ts";
import { Skeleton } from "../ui/views.tsx";

const MergeView = lazy(async () => ({
  default: (await import("../code/merge-view.tsx")).MergeView,
}));

// Comparing more takes longer than anybody waits.
const LONGEST = 2 * 1024 * 1024;

/** Two texts side by side, unless they are too long for that. */
export function TextDiff({
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
  const longest = Math.max(before.length, after.length);
  if (longest > LONGEST) {
    return (
      <p className="text-soft">
        {bytes(longest)}: too long to be compared line by line. Up to {bytes(LONGEST)} is.
      </p>
    );
  }
  return (
    <Suspense fallback={<Skeleton />}>
      <MergeView {...{ label, language, before, after }} />
    </Suspense>
  );
}
