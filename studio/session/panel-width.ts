import { useState } from "react";

const KEY = "turnkeep-studio:width";

/** How wide a panel is, as whoever looks has left it. */
export interface PanelWidth {
  readonly width: number;
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly change: (width: number) => void;
}

export function usePanelWidth(
  name: string,
  { usual, least, most }: Pick<PanelWidth, "usual" | "least" | "most">,
): PanelWidth {
  const key = `${KEY}:${name}`;
  const fit = (wanted: number): number => Math.min(Math.max(Math.round(wanted), least), most);
  const [width, setWidth] = useState(() =>
    fit(Number(localStorage.getItem(key) ?? usual) || usual),
  );
  const change = (wanted: number): void => {
    setWidth(fit(wanted));
    localStorage.setItem(key, String(fit(wanted)));
  };
  return { width, usual, least, most, change };
}
