import { Window } from "happy-dom";
import { createElement, type ReactNode, StrictMode } from "react";
import { onTestFinished } from "vitest";

export interface Rendered {
  readonly unmount: () => void;
  readonly text: (id: string) => string;
  readonly click: (id: string) => void;
}

interface Root {
  readonly render: (node: ReactNode) => void;
  readonly unmount: () => void;
}

/** Renders into a page of its own, strictly: every effect is run, undone and run again. */
export async function render(node: ReactNode): Promise<Rendered> {
  const window = new Window();
  const { document, navigator } = window;
  for (const [name, value] of Object.entries({ window, document, navigator })) {
    // Newer versions of Node have some of it, and do not let it be assigned.
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  // Looks for the page when it is loaded.
  const { createRoot } = await import("react-dom/client");
  const container = window.document.createElement("div");
  window.document.body.append(container);
  const root: Root = createRoot(container);
  root.render(createElement(StrictMode, null, node));
  let isMounted = true;
  const unmount = (): void => {
    if (isMounted) root.unmount();
    isMounted = false;
  };
  onTestFinished(unmount);
  const find = (id: string): { textContent: string; click: () => void } | null =>
    container.querySelector(`#${id}`) as never;
  return { unmount, text: (id) => find(id)?.textContent ?? "", click: (id) => find(id)?.click() };
}
