import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

export interface Preferences {
  readonly theme: Theme;
  /** Whether single letters are shortcuts. */
  readonly letterKeys: boolean;
  readonly showTools: boolean;
}

const KEY = "turnkeep-studio:preferences";
const USUAL: Preferences = { theme: "system", letterKeys: true, showTools: true };
const listeners = new Set<() => void>();
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let current = read();

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, () => current);
}

export function getPreferences(): Preferences {
  return current;
}

export function changePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyTheme();
  for (const listener of listeners) listener();
}

/** Before anything is drawn, and whenever the system or its user changes their mind. */
export function applyTheme(): void {
  const isDark = current.theme === "dark" || (current.theme === "system" && prefersDark.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
}

prefersDark.addEventListener("change", applyTheme);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function read(): Preferences {
  try {
    return { ...USUAL, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>) };
  } catch {
    return USUAL;
  }
}
