import { ChevronRight } from "virtual:icons";
import { type ReactElement, useState } from "react";
import type { Json } from "turnkeep/protocol";
import { classNames } from "./class-names.ts";
import { count, plural } from "./formats.ts";

// Of a long list this many are shown, and then as many more.
const CHILDREN = 100;

/** A value as a tree. Only what is open is built, so its size does not matter. */
export function JsonTree({
  value,
  name,
  path = "",
  depth = 0,
  flashes,
}: {
  readonly value: Json;
  readonly name?: string;
  readonly path?: string;
  readonly depth?: number;
  /** The pointers that just changed. */
  readonly flashes?: ReadonlyMap<string, number>;
}): ReactElement {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(CHILDREN);
  const flash = flashes?.get(path);
  if (typeof value !== "object" || value === null) {
    return (
      <Row depth={depth} {...(flash !== undefined && { flash })}>
        <span className="w-3.5 shrink-0" />
        <Name name={name} />
        <Leaf value={value} />
      </Row>
    );
  }
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `[${count(entries.length)}]` : `{${count(entries.length)}}`;
  return (
    <div>
      <Row depth={depth} {...(flash !== undefined && { flash })}>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex items-start rounded text-left hover:bg-hover"
        >
          <ChevronRight
            aria-hidden
            className={classNames("mt-[5px] size-3.5 shrink-0 text-faint", isOpen && "rotate-90")}
          />
          <Name name={name ?? "state"} />
          <span className="text-faint">{kind}</span>
        </button>
      </Row>
      {isOpen &&
        entries
          .slice(0, shown)
          .map(([key, member]) => (
            <JsonTree
              key={key}
              name={key}
              value={member as Json}
              path={`${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`}
              depth={depth + 1}
              {...(flashes && { flashes })}
            />
          ))}
      {isOpen && entries.length > shown && (
        <button
          type="button"
          onClick={() => setShown(shown + CHILDREN)}
          className="ml-6 min-h-6 text-xs text-accent hover:underline"
        >
          {count(entries.length - shown)} more
        </button>
      )}
    </div>
  );
}

function Row({
  depth,
  flash,
  children,
}: {
  readonly depth: number;
  readonly flash?: number;
  readonly children: React.ReactNode;
}): ReactElement {
  return (
    <div
      // A new key starts the animation again.
      key={flash}
      className={classNames(
        "flex items-start font-mono text-xs leading-6",
        flash !== undefined && "flash rounded",
      )}
      style={{ paddingLeft: `${depth * 14}px` }}
    >
      {children}
    </div>
  );
}

function Name({ name }: { readonly name: string | undefined }): ReactElement | null {
  if (name === undefined) return null;
  return <span className="mr-1.5 shrink-0 text-violet">{name}</span>;
}

const LONGEST = 2000;

function Leaf({ value }: { readonly value: string | number | boolean | null }): ReactElement {
  if (typeof value !== "string") {
    return <span className="text-info">{String(value)}</span>;
  }
  const text =
    value.length > LONGEST
      ? `${value.slice(0, LONGEST)}… (${plural(value.length, "character")})`
      : value;
  return (
    <span className="min-w-0 whitespace-pre-wrap text-good [overflow-wrap:anywhere]">“{text}”</span>
  );
}
