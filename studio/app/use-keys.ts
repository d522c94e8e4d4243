import { useEffect, useRef } from "react";
import { getPreferences } from "./preferences.ts";

/** What to do by key: `k`, `?`, `mod+k`, or two in a row, `g a`. */
export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const PAUSE_MS = 900;
let prefix = { key: "", at: 0 };

/** Listens while the component is there. Letters count only while nobody types. */
export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const name = nameOf(event);
      if (event.defaultPrevented || name === undefined) return;
      const before = event.timeStamp - prefix.at < PAUSE_MS ? prefix.key : "";
      const found = latest.current[`${before} ${name}`.trim()] ?? latest.current[name];
      if (found === undefined) return;
      event.preventDefault();
      found(event);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

// After all others, so that it is the prefix of the next key and not of its own.
window.addEventListener("keyup", (event) => {
  const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey;
  if (isPlain && event.key === "g" && !isTyping(event)) prefix = { key: "g", at: event.timeStamp };
  else if (event.key.length === 1) prefix = { key: "", at: 0 };
});

function nameOf(event: KeyboardEvent): string | undefined {
  if (event.metaKey || event.ctrlKey) return `mod+${event.key.toLowerCase()}`;
  if (event.altKey || isTyping(event)) return undefined;
  if (event.key.length === 1 && !getPreferences().letterKeys) return undefined;
  // A button that has the focus is pressed, and nothing else.
  if (event.key === "Enter" && event.target instanceof HTMLButtonElement) return undefined;
  return event.key;
}

/** Whether the key goes into a text, or to a menu or dialog. */
export function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return target.type !== "checkbox" && target.type !== "radio";
  return (
    target.isContentEditable || target.matches("textarea, select, [role=menu] *, [role=dialog] *")
  );
}
