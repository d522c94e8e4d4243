import { type KeyboardEvent, type PointerEvent, type ReactElement, useRef } from "react";
import type { PanelWidth } from "./panel-width.ts";

const STEP = 16;

/** The line between two panels, which can be moved by pointer and by keys. Twice pressed, it is where it usually is. */
export function ResizeHandle({
  label,
  side,
  panel: { width, usual, least, most, change },
  className,
}: {
  readonly label: string;
  /** On which side of the line the panel is. */
  readonly side: "left" | "right";
  readonly panel: PanelWidth;
  /** Shown where its panel is. */
  readonly className: string;
}): ReactElement {
  const grip = useRef<{ readonly x: number; readonly width: number }>(undefined);
  const outward = side === "left" ? 1 : -1;
  const drag = (event: PointerEvent): void => {
    if (grip.current) change(grip.current.width + (event.clientX - grip.current.x) * outward);
  };
  const press = (event: KeyboardEvent): void => {
    const next = {
      ArrowRight: width + STEP * outward,
      ArrowLeft: width - STEP * outward,
      Home: least,
      End: most,
      Enter: usual,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    change(next);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      title="Drag, or use the arrow keys"
      onKeyDown={press}
      onDoubleClick={() => change(usual)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, width };
      }}
      onPointerMove={drag}
      onPointerUp={() => (grip.current = undefined)}
      className={`w-1 shrink-0 cursor-ew-resize select-none bg-line hover:bg-accent ${className}`}
    />
  );
}
