import type { ReactElement } from "react";
import type { AgentDetail } from "../api/types.ts";
import { JsonTree } from "../ui/json-tree.tsx";

const SCHEMAS = [
  ["stateSchema", "State", "The agent's own state, kept with every snapshot."],
  ["inputSchema", "Input", "What one turn is given."],
  ["initSchema", "Init", "What a conversation starts from."],
  ["outputSchema", "Output", "What a turn gives back."],
  ["streamSchema", "Stream", "One event of a stream."],
] as const;

export function AgentSchemas({ agent }: { readonly agent: AgentDetail }): ReactElement {
  return (
    <div className="grid gap-4 p-5 lg:grid-cols-2">
      {SCHEMAS.map(([name, title, about]) => {
        const schema = agent[name];
        return (
          <section key={name} className="min-w-0 rounded-lg border border-line bg-surface p-4">
            <h2 className="text-base font-semibold">{title}</h2>
            <p className="mb-2 text-soft">{about}</p>
            {schema ? (
              <JsonTree value={schema} name="schema" />
            ) : (
              <p className="text-faint">None is given.</p>
            )}
          </section>
        );
      })}
    </div>
  );
}
