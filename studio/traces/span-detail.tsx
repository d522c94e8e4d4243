import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { Json } from "turnkeep/protocol";
import { spanQuery } from "../api/trace-queries.ts";
import type { Span } from "../api/types.ts";
import { count, dateTime, duration, plural } from "../ui/formats.ts";
import { JsonTree } from "../ui/json-tree.tsx";
import { QueryView } from "../ui/query-view.tsx";
import { Status } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { spanValue } from "./span-tree.ts";

/** One span, whole: it is asked for only when somebody looks at it. */
export function SpanDetail({
  traceId,
  spanId,
}: {
  readonly traceId: string;
  readonly spanId: string;
}): ReactElement {
  const query = useQuery(spanQuery(traceId, spanId));
  return (
    <QueryView query={query} what="The span could not be loaded.">
      {(span) => <Detail span={span} />}
    </QueryView>
  );
}

function Detail({ span }: { readonly span: Span }): ReactElement {
  const [tab, setTab] = useState("input");
  const { name, startTime, endTime, statusCode, attributes, events } = span;
  const { inputTokens: input, outputTokens: output } = span;
  const rest = Object.fromEntries(
    Object.entries(attributes).filter(([key]) => key !== "genkit:input" && key !== "genkit:output"),
  );
  return (
    <div className="flex h-full flex-col">
      <header className="flex flex-wrap items-center gap-2 px-4 pt-3 pb-1">
        <h2 className="min-w-0 truncate text-base font-semibold">{name}</h2>
        <Status word={endTime === undefined ? "running" : statusCode === 2 ? "failed" : "done"} />
        <p className="w-full text-xs text-faint">
          {dateTime(startTime)}
          {endTime !== undefined && ` · ${duration(endTime - startTime)}`}
          {input + output > 0 && ` · ${plural(input, "token")} in, ${count(output)} out`}
        </p>
      </header>
      <Tabs
        label="About the span"
        open={tab}
        onOpen={setTab}
        tabs={[
          {
            name: "input",
            label: "Input",
            content: <Value value={spanValue(span, "genkit:input")} />,
          },
          {
            name: "output",
            label: "Output",
            content: <Value value={spanValue(span, "genkit:output")} />,
          },
          { name: "attributes", label: "Attributes", content: <Value value={rest} /> },
          {
            name: "events",
            label: `Events (${events.length})`,
            content: <Value value={events} />,
          },
        ]}
      />
    </div>
  );
}

function Value({ value }: { readonly value: Json | undefined }): ReactElement {
  if (value === undefined) {
    return (
      <p className="p-4 text-soft">
        Nothing was recorded. Agents write it down only when told to, with{" "}
        <code className="font-mono text-xs">recordState</code>.
      </p>
    );
  }
  return (
    <div className="p-4">
      <JsonTree value={value} name="value" />
    </div>
  );
}
