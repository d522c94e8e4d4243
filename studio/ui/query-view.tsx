import type { ReactElement, ReactNode } from "react";
import { ErrorView, Skeleton } from "./views.tsx";

interface AskedFor<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/** Shows what was asked for: as it loads, as it failed, or as it came. What was there stays when asking again fails. */
export function QueryView<Data>({
  query,
  lines,
  what,
  children,
}: {
  readonly query: AskedFor<Data>;
  readonly lines?: number;
  readonly what?: string;
  readonly children: (data: Data) => ReactNode;
}): ReactElement {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isPending) return <Skeleton {...(lines !== undefined && { lines })} />;
  return (
    <ErrorView
      error={query.error}
      onRetry={() => void query.refetch()}
      {...(what !== undefined && { what })}
    />
  );
}
