import { useQuery } from "@tanstack/react-query";
import { CirclePause } from "virtual:icons";
import { type ReactElement, useId, useState } from "react";
import {
  type Json,
  type JsonObject,
  mergeResumes,
  openInterrupts,
  type Part,
  type Resume,
} from "turnkeep/protocol";
import { interruptsQuery } from "../api/snapshot-queries.ts";
import type { OpenInterrupt } from "../api/types.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { Button } from "../ui/button.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { QueryView } from "../ui/query-view.tsx";

type Method = "approve" | "deny" | "answer";

/** What a person decided about one request. */
interface Decision {
  readonly method: Method;
  readonly value: Json;
  readonly resume: Resume;
}

const METHODS: Readonly<Record<Method, string>> = {
  approve: "Approve: the tool runs",
  deny: "Deny: the tool does not run",
  answer: "Answer in its place: the tool does not run",
};

const DECIDED: Readonly<Record<Method, string>> = {
  approve: "Approved. The tool runs, with ",
  deny: "Denied. The tool does not run: ",
  answer: "Answered. The tool does not run: ",
};

const REASON: JsonObject = {
  type: "object",
  properties: { reason: { type: "string", title: "Reason" } },
};

/** The requests that wait for a person at this snapshot. All are answered together, each by its own name. */
export function InterruptCards({
  agent,
  snapshotId,
  onAnswer,
}: {
  readonly agent: string;
  readonly snapshotId: string;
  readonly onAnswer: (resume: Resume) => void;
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
                  if (interrupts.length === 1 && decision) onAnswer(resumeOf(next));
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
                  onClick={() => onAnswer(resumeOf(decisions))}
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

function resumeOf(decisions: ReadonlyMap<number, Decision>): Resume {
  const inOrder = [...decisions].toSorted(([left], [right]) => left - right);
  return mergeResumes(...inOrder.map(([, { resume }]) => resume));
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
  const { name, ref, input = null, canRestart, part } = interrupt;
  // Chosen by the person: nothing that spends money is one key away.
  const [method, setMethod] = useState<Method>();
  const methods = (["approve", "deny", "answer"] as const).filter(
    (one) => canRestart || one !== "approve",
  );
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
              {DECIDED[decision.method]}
              <code className="font-mono text-xs">{JSON.stringify(decision.value)}</code>
            </p>
            <Button small onClick={() => onDecide(undefined)}>
              Change
            </Button>
          </div>
        ) : (
          <>
            <div role="radiogroup" aria-label="How to go on" className="flex flex-wrap gap-4">
              {methods.map((one) => (
                <label key={one} className="flex items-center gap-1.5">
                  <input
                    type="radio"
                    // One group, so that arrow keys go from one to the other.
                    name={group}
                    checked={method === one}
                    onChange={() => setMethod(one)}
                    className="accent-accent"
                  />
                  {METHODS[one]}
                </label>
              ))}
            </div>
            {method && (
              <DecisionForm
                key={method}
                method={method}
                part={part}
                outputSchema={interrupt.outputSchema}
                onDecide={onDecide}
              />
            )}
          </>
        )}
      </div>
    </section>
  );
}

function DecisionForm({
  method,
  part,
  outputSchema,
  onDecide,
}: {
  readonly method: Method;
  readonly part: Part;
  readonly outputSchema: JsonObject | undefined;
  readonly onDecide: (decision: Decision) => void;
}): ReactElement | null {
  const [open] = openInterrupts([{ role: "model", content: [part] }]);
  if (open === undefined) return null;
  if (method === "approve") {
    return (
      <SchemaForm
        schema={undefined}
        initial={open.approve().restart?.[0]?.metadata?.["resumed"]}
        jsonLabel="Data for the tool, as JSON"
        submitLabel="Approve"
        onSubmit={(value) => onDecide({ method, value, resume: open.approve(value) })}
      />
    );
  }
  const isDenied = method === "deny";
  return (
    <SchemaForm
      schema={isDenied ? REASON : outputSchema}
      initial={undefined}
      submitLabel={isDenied ? "Deny" : "Answer"}
      onSubmit={(value) => {
        const { reason } = (value ?? {}) as { readonly reason?: string };
        const resume = isDenied ? open.deny(reason) : open.answer(value);
        onDecide({ method, value: isDenied ? (reason ?? null) : value, resume });
      }}
    />
  );
}

function Question({ interrupt }: { readonly interrupt: Json }): ReactElement | null {
  if (interrupt === true) return null;
  const { question, message, reason } = (interrupt ?? {}) as Readonly<Record<string, unknown>>;
  const words = [question, message, reason].find((one): one is string => typeof one === "string");
  return words === undefined ? <JsonTree value={interrupt} name="interrupt" /> : <p>{words}</p>;
}
