import { Tabs as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";

export interface Tab {
  readonly name: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

/** Several views of one thing. Which one is open is the caller's to keep, in the address if it can. */
export function Tabs({
  tabs,
  open,
  onOpen,
  label,
}: {
  readonly tabs: readonly Tab[];
  readonly open: string;
  readonly onOpen: (name: string) => void;
  readonly label: string;
}): ReactElement {
  return (
    <Radix.Root value={open} onValueChange={onOpen} className="flex h-full min-h-0 flex-col">
      <Radix.List
        aria-label={label}
        className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-3"
      >
        {tabs.map(({ name, label: text }) => (
          <Radix.Trigger
            key={name}
            value={name}
            className="-mb-px border-b-2 border-transparent px-2 py-2 font-medium whitespace-nowrap text-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {text}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ name, content }) => (
        <Radix.Content key={name} value={name} className="min-h-0 flex-1 overflow-auto">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
