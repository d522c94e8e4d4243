import type { ReactElement } from "react";
import type { ToolDescription } from "../api/types.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { EmptyView } from "../ui/views.tsx";

export function AgentTools({
  tools,
}: {
  readonly tools: readonly ToolDescription[];
}): ReactElement {
  if (tools.length === 0) {
    return (
      <EmptyView title="No tools are described.">
        A prompt agent describes its tools by itself; others do with{" "}
        <code className="font-mono text-xs">describeTools</code>.
      </EmptyView>
    );
  }
  return (
    <ul className="flex max-w-4xl flex-col gap-4 p-5">
      {tools.map(({ name, description, inputSchema, outputSchema, interrupt }) => (
        <li key={name} className="rounded-lg border border-line bg-surface p-4">
          <h2 className="flex items-center gap-2 font-mono text-sm font-semibold">
            {name}
            {interrupt === true && (
              <span className="rounded-full bg-warn-wash px-2 py-0.5 font-sans text-xs font-medium text-warn">
                asks a person
              </span>
            )}
          </h2>
          <p className="mt-0.5 text-soft">{description}</p>
          <div className="mt-3 grid gap-4 md:grid-cols-2">
            {inputSchema && <JsonTree value={inputSchema} name="input" />}
            {outputSchema && <JsonTree value={outputSchema} name="output" />}
          </div>
        </li>
      ))}
    </ul>
  );
}
