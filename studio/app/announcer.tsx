import { type ReactElement, useSyncExternalStore } from "react";

let said = "";
const listeners = new Set<() => void>();

/** Tells those who do not see the page what happened on it. */
export function announce(text: string): void {
  said = text;
  for (const listener of listeners) listener();
}

export function Announcer(): ReactElement {
  const text = useSyncExternalStore(subscribe, () => said);
  return (
    <div aria-live="polite" className="sr-only">
      {text}
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
