import { CircleAlert, RotateCw } from "virtual:icons";
import type { ReactElement, ReactNode } from "react";
import { ApiError } from "../api/request.ts";
import { Button } from "./button.tsx";

/** What stands where nothing is. */
export function EmptyView({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactElement {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-14 text-center">
      <p className="text-base font-medium">{title}</p>
      {children !== undefined && <div className="text-soft">{children}</div>}
      {action !== undefined && <div className="mt-2 flex gap-2">{action}</div>}
    </div>
  );
}

/** What went wrong, what to tell whoever can help, and a way to try again. */
export function ErrorView({
  error,
  onRetry,
  what = "This could not be loaded.",
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly what?: string;
}): ReactElement {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const { status, requestId } = error instanceof ApiError ? error : {};
  return (
    <div
      role="alert"
      className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-12 text-center"
    >
      <CircleAlert className="size-6 text-bad" aria-hidden />
      <p className="text-base font-medium">{what}</p>
      <p className="text-soft [overflow-wrap:anywhere]">{message}</p>
      {(status ?? requestId) !== undefined && (
        <p className="font-mono text-xs text-faint">
          {status}
          {requestId !== undefined && ` · request ${requestId}`}
        </p>
      )}
      {onRetry && (
        <Button onClick={onRetry} className="mt-2">
          <RotateCw aria-hidden /> Try again
        </Button>
      )}
    </div>
  );
}

/** Grey bars where lines will be. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }): ReactElement {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 p-4">
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          className="pulse h-4 rounded bg-hover"
          style={{ width: `${90 - ((index * 17) % 40)}%` }}
        />
      ))}
    </div>
  );
}
