import { useQuery } from "@tanstack/react-query";
import { CirclePause } from "virtual:icons";
import { type ReactElement, useId, useState } from "react";
import type { Json } from "turnkeep/protocol";
import { interruptsQuery } from "../api/snapshot-queries.ts";
import type { OpenInterrupt } from "../api/types.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Button } from "../ui/button.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { QueryView } from "../ui/query-view.tsx";

/** What a person decided about one request. */
type Decision = { readonly respond: Json } | { readonly restart: Json };

/** The requests that wait for a person at this snapshot. All are answered together, each by its own name. */
export function InterruptCards({
  agent,
  snapshotId,
  onAnswer,
}: {
  readonly agent: string;
  readonly snapshotId: string;
  readonly onAnswer: (resume: Json) => void;
}): ReactElement {
  const query = useQuery(interruptsQuery(agent, snapshotId));
  const [decisions, setDecisions] = useState<ReadonlyMap<number, Decision>>(new Map());
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-3 px-5 py-2">
      <QueryView query={query} what="What waits could not be loaded.">
        {(interrupts) => (
          <>
            {interrupts.map((interrupt, index) => (
              <InterruptCard
                key={interrupt.ref ?? index}
                interrupt={interrupt}
                decision={decisions.get(index)}
                onDecide={(decision) => {
                  const next = new Map(decisions);
                  if (decision) next.set(index, decision);
                  else next.delete(index);
                  setDecisions(next);
                  if (interrupts.length === 1 && decision) onAnswer(resumeOf(interrupts, next));
                }}
              />
            ))}
            {interrupts.length > 1 && (
              <div className="flex items-center justify-end gap-3">
                <span className="text-soft">
                  {decisions.size} of {interrupts.length} answered
                </span>
                <Button
                  look="primary"
                  disabled={decisions.size < interrupts.length}
                  onClick={() => onAnswer(resumeOf(interrupts, decisions))}
                >
                  Send the answers
                </Button>
              </div>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

function resumeOf(
  interrupts: readonly OpenInterrupt[],
  decisions: ReadonlyMap<number, Decision>,
): Json {
  const respond: Json[] = [];
  const restart: Json[] = [];
  for (const [index, { name, ref, input = null }] of interrupts.entries()) {
    const decision = decisions.get(index);
    const named = { name, ...(ref !== undefined && { ref }) };
    if (decision && "respond" in decision) {
      respond.push({ toolResponse: { ...named, output: decision.respond } });
    } else if (decision) {
      const isSame = JSON.stringify(decision.restart) === JSON.stringify(input);
      const metadata = { resumed: true, ...(!isSame && { replacedInput: input }) };
      restart.push({ toolRequest: { ...named, input: decision.restart }, metadata });
    }
  }
  return {
    ...(respond.length > 0 && { respond }),
    ...(restart.length > 0 && { restart }),
  };
}

function InterruptCard({
  interrupt,
  decision,
  onDecide,
}: {
  readonly interrupt: OpenInterrupt;
  readonly decision: Decision | undefined;
  readonly onDecide: (decision: Decision | undefined) => void;
}): ReactElement {
  const { name, ref, input = null, inputSchema, outputSchema, canRestart } = interrupt;
  const [mode, setMode] = useState<"respond" | "restart">("respond");
  const isRestart = mode === "restart";
  const group = useId();
  return (
    <section
      aria-label={`${name} waits for you`}
      data-ref={ref}
      className="rounded-lg border border-warn bg-surface"
    >
      <header className="flex items-center gap-2 rounded-t-lg bg-warn-wash px-4 py-2 font-medium text-warn">
        <CirclePause className="size-4" aria-hidden />
        <span>
          <span className="font-mono">{name}</span> waits for you
        </span>
        <span className="ml-auto font-mono text-xs">{ref}</span>
      </header>
      <div className="flex flex-col gap-3 px-4 py-3">
        <Question interrupt={interrupt.interrupt} />
        <JsonTree value={input} name="input" />
        {decision ? (
          <div className="flex items-center gap-3">
            <p className="flex-1 text-good">
              {"respond" in decision ? "Your answer: " : "Runs again with: "}
              <code className="font-mono text-xs">
                {JSON.stringify("respond" in decision ? decision.respond : decision.restart)}
              </code>
            </p>
            <Button small onClick={() => onDecide(undefined)}>
              Change
            </Button>
          </div>
        ) : (
          <>
            {canRestart && (
              <div role="radiogroup" aria-label="How to go on" className="flex gap-4">
                {(["respond", "restart"] as const).map((one) => (
                  <label key={one} className="flex items-center gap-1.5">
                    <input
                      type="radio"
                      // One group, so that arrow keys go from one to the other.
                      name={group}
                      checked={mode === one}
                      onChange={() => setMode(one)}
                      className="accent-accent"
                    />
                    {one === "respond" ? "Answer in the tool's place" : "Run the tool again"}
                  </label>
                ))}
              </div>
            )}
            <SchemaForm
              key={mode}
              schema={isRestart ? inputSchema : outputSchema}
              initial={isRestart ? input : undefined}
              submitLabel={isRestart ? "Run again" : "Respond"}
              onSubmit={(value) => onDecide(isRestart ? { restart: value } : { respond: value })}
            />
          </>
        )}
      </div>
    </section>
  );
}

function Question({ interrupt }: { readonly interrupt: Json }): ReactElement | null {
  if (interrupt === true) return null;
  const { question, message, reason } = (interrupt ?? {}) as Readonly<Record<string, unknown>>;
  const words = [question, message, reason].find((one): one is string => typeof one === "string");
  return words === undefined ? <JsonTree value={interrupt} name="interrupt" /> : <p>{words}</p>;
}
