import { useRouter } from "@tanstack/react-router";
import type { MouseEvent, ReactElement, ReactNode } from "react";

/**
 * A link in a row of a long list. The router's own looks at all of the router's state for each, which is too much for as many as come and go with every
 * frame of scrolling.
 */
export function RowLink(props: {
  readonly steps: readonly string[];
  readonly className: string;
  readonly children: ReactNode;
}): ReactElement {
  const router = useRouter();
  const base = (router.options.basepath ?? "").replace(/\/$/, "");
  const href = [base, ...props.steps.map(encodeURIComponent)].join("/");
  const open = (event: MouseEvent): void => {
    // In a new tab or window it is the browser's.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a href={href} className={props.className} onClick={open}>
      {props.children}
    </a>
  );
}
