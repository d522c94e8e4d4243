import { type ReactElement, type ReactNode, useEffect, useRef } from "react";

/** A page: one title, what can be done on it, and the rest, which scrolls. */
export function Page({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-5 py-2">
        <PageTitle title={title} />
        {about !== undefined && <div className="min-w-0 text-soft">{about}</div>}
        <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
      </header>
      <div className="relative min-h-0 flex-1 overflow-auto">{children}</div>
    </div>
  );
}

/** Whoever comes by keyboard starts at the page's name. */
export function PageTitle({ title }: { readonly title: string }): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Turnkeep Studio`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1} className="truncate text-lg font-semibold tracking-tight">
      {title}
    </h1>
  );
}
