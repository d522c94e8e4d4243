import { type Genkit, genkit, z } from "genkit";
import type { SessionStore } from "turnkeep";
import { defineAgent, type GenkitAgent } from "turnkeep/genkit";
import { MemoryStore } from "turnkeep/stores/memory";
import { onTestFinished } from "vitest";
import { z as zod4 } from "zod";
import { gateOf, untilAborted } from "./registered.ts";
import { defineThinker } from "./thinking-model.ts";

export function memory(): SessionStore {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  return store;
}

export interface Talker {
  readonly ai: Genkit;
  readonly agent: GenkitAgent<{ mood: string }>;
  /** Resolves when the model or the tool waits. */
  readonly waits: Promise<void>;
  /** What the signals aborted with that the model or the tool was given. */
  readonly reasons: readonly unknown[];
  /** What the model could see of the caller. */
  readonly contexts: readonly unknown[];
}

/** An agent that answers in capitals with what was said before, and waits or fails when told to. */
export function talker(store: SessionStore | undefined): Talker {
  const ai = genkit({});
  const contexts: unknown[] = [];
  const reasons: unknown[] = [];
  const gate = gateOf();
  const wait = async (signal: AbortSignal): Promise<never> => {
    gate.open();
    signal.addEventListener("abort", () => reasons.push(signal.reason));
    return await untilAborted(signal);
  };
  const tool = ai.defineTool(
    { name: "wait", description: "Waits.", inputSchema: z.object({}) },
    async (_, { abortSignal }) => await wait(abortSignal),
  );
  defineThinker(ai, "echo", async ({ request, heard, signal, say }) => {
    contexts.push({ ...ai.currentContext() });
    if (heard === "fail") throw new Error("no idea");
    if (heard === "wait") return await wait(signal);
    if (heard === "use the tool") return [{ tool: "wait", input: {} }];
    const before = request.messages.filter(({ role }) => role === "user").slice(0, -1);
    say(heard.toUpperCase());
    return [heard, ...before.toReversed().map(({ content }) => content[0]?.text)]
      .join(" of ")
      .toUpperCase()
      .replaceAll(" OF ", " of ");
  });
  const agent = defineAgent<{ mood: string }>(ai, {
    name: "talker",
    description: "Talks.",
    model: "echo",
    tools: [tool],
    state: zod4.object({ mood: zod4.string() }),
    initialState: { mood: "calm" },
    ...(store && { store }),
  });
  onTestFinished(() => agent.close());
  return { ai, agent, waits: gate.promise, reasons, contexts };
}
