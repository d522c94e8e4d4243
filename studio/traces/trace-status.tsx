import type { ReactElement } from "react";
import type { TraceSummary } from "../api/types.ts";
import { Status, type StatusWord } from "../ui/status.tsx";

const WORDS: Readonly<Record<TraceSummary["status"], StatusWord>> = {
  running: "running",
  success: "done",
  error: "failed",
};

export function TraceStatus({ status }: Pick<TraceSummary, "status">): ReactElement {
  return <Status word={WORDS[status]} />;
}
