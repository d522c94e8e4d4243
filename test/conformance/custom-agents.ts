import type { AgentResult, Json, LocalAgent, RunSession } from "turnkeep";
import { defineCustomAgent } from "turnkeep/genkit";
import type { AgentSetting } from "./agent-setting.ts";

type DefineAgent = (setting: AgentSetting) => LocalAgent;

/** The agents of the spec whose loop is their own. */
export const CUSTOM_AGENTS: Readonly<Record<string, DefineAgent>> = {
  customAgentBlocking: ({ ai, store }) =>
    defineCustomAgent(ai, { name: "customAgentBlocking", store }, async ({ session }) => {
      await session.run((_, { signal }) => untilAborted(signal));
      // As the spec has it: to be aborted is no failure of the agent's.
      return answer("unblocked");
    }),

  customAgentFailing: ({ ai, store }) =>
    defineCustomAgent(ai, { name: "customAgentFailing", store }, async ({ session }) => {
      await session.run(() => {
        throw new Error("intentional failure");
      });
    }),

  customAgentWithArtifacts: ({ ai }) =>
    defineCustomAgent(ai, { name: "customAgentWithArtifacts" }, async ({ session }) => {
      await session.run(() => {
        addArtifact(session, "doc1", "v1");
        addArtifact(session, "doc1", "v2");
        addArtifact(session, "doc2", "other");
      });
      return { ...answer("done"), artifacts: session.artifacts() };
    }),

  customAgentWithArtifactsStore: ({ ai, store }) =>
    defineCustomAgent(ai, { name: "customAgentWithArtifactsStore", store }, async ({ session }) => {
      await session.run(() => {
        const number = session.artifacts().length + 1;
        addArtifact(session, `doc${number}`, `content${number}`);
      });
      return { ...answer("done"), artifacts: session.artifacts() };
    }),

  customAgentWithCustomState: ({ ai }) =>
    defineCustomAgent(ai, { name: "customAgentWithCustomState" }, ({ session }) => count(session)),

  customAgentWithCustomStateStore: ({ ai, store }) =>
    defineCustomAgent(ai, { name: "customAgentWithCustomStateStore", store }, ({ session }) =>
      count(session),
    ),

  customAgentWithMultiCustomState: ({ ai }) =>
    defineCustomAgent(ai, { name: "customAgentWithMultiCustomState" }, async ({ session }) => {
      await session.run(() => {
        session.updateCustom(() => ({ counter: 1, status: "working" }));
        session.updateCustom(() => ({ counter: 2, status: "working" }));
        session.updateCustom(() => ({ counter: 2, status: "done" }));
      });
      return answer("done");
    }),
};

async function count(session: RunSession): Promise<AgentResult> {
  await session.run(() => session.updateCustom((custom) => ({ counter: counterIn(custom) + 1 })));
  return answer("done");
}

function counterIn(custom: Json | undefined): number {
  return typeof custom === "object" && custom !== null && "counter" in custom
    ? Number(custom.counter)
    : 0;
}

function addArtifact(session: RunSession, name: string, text: string): void {
  session.addArtifacts({ name, parts: [{ text }] });
}

function answer(text: string): AgentResult {
  return { message: { role: "model", content: [{ text }] } };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
