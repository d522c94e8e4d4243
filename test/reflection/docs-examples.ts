import { MemoryStore } from "turnkeep/stores/memory";
import { agentOf, model } from "../agent/authoring/turns.ts";
import type { Ask } from "../http/serving.ts";
import { reflecting, type Reflected } from "./reflecting.ts";
import { tracing } from "./tracing.ts";

type Order = { order: string; mood?: string };

/** The names that the examples are asked with. */
export interface Names {
  readonly first: string;
  readonly second: string;
  readonly run: string;
  readonly trace: string;
  readonly span: string;
}

const AT = "agents/support";

/** What the examples of the documentation ask for, in this order. */
export const EXAMPLES: Readonly<Record<string, (names: Names) => readonly [string, Ask?]>> = {
  agents: () => ["agents"],
  agent: () => [AT],
  sessions: () => [`${AT}/sessions?limit=1`],
  session: () => [`${AT}/sessions/user-42`],
  execute: () => [`${AT}/execute`, { body: said("Hello", "user-7") }],
  "execute-stream": () => [`${AT}/execute`, { body: { ...said("Hello", "user-8"), stream: true } }],
  error: () => [`${AT}/sessions/nobody`],
  info: () => ["studio/info"],
  find: ({ run }) => [`studio/find?id=${run}`],
  patch: () => [
    `${AT}/sessions/user-42`,
    { method: "PATCH", body: { title: "Order 7", tags: ["refund"] } },
  ],
  messages: () => [`${AT}/sessions/user-42/messages?limit=2`],
  snapshots: () => [`${AT}/sessions/user-42/snapshots`],
  snapshot: ({ second }) => [`${AT}/snapshots/${second}?part=custom`],
  "artifact-history": ({ second }) => [`${AT}/snapshots/${second}/artifact-history?name=order.txt`],
  interrupts: ({ second }) => [`${AT}/snapshots/${second}/interrupts`],
  diff: ({ first, second }) => [`${AT}/diff?from=${first}&to=${second}`],
  fork: ({ first }) => [
    `${AT}/snapshots/${first}/fork`,
    {
      body: {
        as: "branch",
        patch: [{ op: "replace", path: "/custom/mood", value: "calm" }],
        keepMessages: 2,
        label: "calmer",
      },
    },
  ],
  abort: ({ first }) => [`${AT}/snapshots/${first}/abort`, { body: {} }],
  runs: () => ["runs?sessionId=user-42"],
  "run-stream": ({ run }) => [`runs/${run}/stream`],
  traces: ({ run }) => [`traces?runId=${run}`],
  trace: ({ trace }) => [`traces/${trace}?view=light`],
  stats: () => ["stats"],
  export: () => [`${AT}/sessions/user-7/export?format=json`],
  batchDelete: () => [`${AT}/sessions:batchDelete`, { body: { ids: ["user-8", "nobody"] } }],
  delete: () => [`${AT}/sessions/user-7`, { method: "DELETE" }],
  actions: () => ["actions"],
};

function said(text: string, sessionId: string): object {
  return { input: { role: "user", content: [{ text }] }, init: { sessionId } };
}

/** The agent of the examples, after a short talk that waits for a person. */
export async function openStage(): Promise<{
  readonly reflected: Reflected;
  readonly names: Names;
}> {
  const traces = tracing();
  const agent = agentOf<Order>(
    {
      name: "support",
      description: "Helps with orders.",
      about: { version: "1.0.0", tags: ["support"] },
      store: new MemoryStore(),
      describeTools: () => [
        {
          name: "refund",
          description: "Pays an order back.",
          inputSchema: { type: "object", properties: { order: { type: "string" } } },
          outputSchema: { type: "boolean" },
        },
      ],
    },
    ({ session, respond }, _, text) => {
      session.updateCustom(() => ({ order: "7", mood: text === "Refund it" ? "cross" : "calm" }));
      const usage = { inputTokens: 12, outputTokens: 5 };
      if (text !== "Refund it") {
        respond.text("Hi!");
        respond.artifact({ name: "order.txt", parts: [{ text: "Order 7" }] });
        session.addMessages(model("Hi!"));
        return { finishReason: "stop", usage };
      }
      const toolRequest = { name: "refund", ref: "1", input: { order: "7" } };
      const metadata = { interrupt: { ask: "Refund order 7?" } };
      session.addMessages({ role: "model", content: [{ toolRequest, metadata }] });
      return { finishReason: "interrupted", usage };
    },
  );
  const reflected = reflecting([agent], { traces, name: "shop", version: "1.2.3" });
  const first = await agent.runText("Hello", { sessionId: "user-42" });
  const { runId, output } = agent.streamText("Refund it", { sessionId: "user-42" });
  const { snapshotId = "" } = await output;
  const { traceId = "", spanId = "" } = traces.spanOfRun(runId) ?? {};
  return {
    reflected,
    names: {
      first: first.snapshotId ?? "",
      second: snapshotId,
      run: runId,
      trace: traceId,
      span: spanId,
    },
  };
}

/** The text with whatever differs each time replaced: ids by their order, times by one of them. */
export function settled(text: string): string {
  const ids = new Map<string, string>();
  return (
    text
      .replaceAll(/\b[0-9a-z]{26}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{16}\b/g, (id) => {
        if (!ids.has(id)) ids.set(id, `id${ids.size + 1}`);
        return ids.get(id) ?? "";
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-16T08:00:00.000Z")
      .replaceAll(/\b1[78]\d{11}(?:\.\d+)?\b/g, "1794816000000")
      .replaceAll(/"continuationToken": ?"[^"]+"/g, '"continuationToken": "…"')
      .replaceAll(/"p(50|95|99)": ?[\d.]+/g, '"p$1": 3')
      .replaceAll(/"(agent|other)",-?[\d.]+,[\d.]+/g, '"$1",0,3')
      // Points of the same time would all look alike.
      .replaceAll(/("series":\[\{[^}]*\}).*?\]/g, "$1]")
  );
}
