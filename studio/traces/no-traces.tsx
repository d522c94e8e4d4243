import type { ReactElement } from "react";
import { EmptyView } from "../ui/views.tsx";

/** Why there is no trace to see. */
export function NoTraces({ isCollecting }: { readonly isCollecting: boolean }): ReactElement {
  if (isCollecting) {
    return (
      <EmptyView title="No trace is here.">
        It was not sampled, was made by another process, or had to make room for newer ones.
      </EmptyView>
    );
  }
  return (
    <EmptyView title="No traces are collected.">
      Hand a <code className="font-mono text-xs">TraceStore</code> to the OpenTelemetry SDK as a
      span processor, and to the Studio as <code className="font-mono text-xs">traces</code>.
    </EmptyView>
  );
}
