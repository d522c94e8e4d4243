import { type Genkit, tool, type ToolAction, ToolInterruptError, z } from "genkit";
import type { AgentOutput, LocalAgent, Part } from "../agent/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import type { ActionOptions, GenkitAction } from "./genkit-action.ts";
import { type ToolCall, toolCall } from "./tool-call.ts";

export type AgentReference = LocalAgent<never, never> | LocalAgent | string;

/** An agent that another can ask. */
export type SubAgent =
  | AgentReference
  | {
      /** The agent, or the name of one that Genkit knows. */
      readonly agent: AgentReference;
      /** What the model is told it is good for; the agent's own description unless told otherwise. */
      readonly description?: string;
      /** The tool's name; the agent's unless told otherwise. */
      readonly tool?: string;
      /** Where its artifacts go: into the session of the one who asks, or nowhere but its own. `shared` unless told otherwise. */
      readonly artifacts?: "shared" | "separate";
    };

/** The agents as tools. Each works in a session of its own, named after the session of the one who asks, and remembers earlier requests there. */
export function agentTools(ai: Genkit, agents: readonly SubAgent[]): readonly ToolAction[] {
  return agents.map((agent) => agentTool(ai, agent));
}

function agentTool(ai: Genkit, given: SubAgent): ToolAction {
  const options = typeof given === "object" && "agent" in given ? given : { agent: given };
  const { agent, artifacts = "shared" } = options;
  const name = typeof agent === "string" ? agent : agent.name;
  const ownDescription = typeof agent === "string" ? undefined : agent.description;
  const description = options.description ?? ownDescription ?? `Asks the agent '${name}'.`;
  return tool(
    {
      name: options.tool ?? name,
      description,
      inputSchema: z.object({
        task: z.string().describe("What the agent is to do, with all it needs to know."),
      }),
      // Asked twice with one key, an agent of ours answers twice and works once.
      metadata: { idempotent: true },
    },
    async ({ task }, toolOptions) => {
      const call = toolCall(toolOptions);
      const action = await findAgent(ai, name);
      const asked = ask(action, { name, task, call, resumed: toolOptions.resumed });
      return answerOf(await asked, { name, artifacts, call });
    },
  );
}

async function findAgent(ai: Genkit, name: string): Promise<GenkitAction> {
  const action = (await ai.registry.lookupAction(`/agent/${name}`)) as unknown as
    | GenkitAction
    | undefined;
  if (action) return action;
  throw new TurnkeepError("NOT_FOUND", `Genkit knows no agent named '${name}'.`);
}

interface Asking {
  readonly name: string;
  readonly task: string;
  readonly call: ToolCall | undefined;
  readonly resumed: unknown;
}

async function ask(
  action: GenkitAction,
  { name, task, call, resumed }: Asking,
): Promise<AgentOutput> {
  const options: ActionOptions = {
    init: keepsState(action) && call ? { sessionId: `${call.session.sessionId}:${name}` } : {},
    ...(call && {
      abortSignal: call.signal,
      call: { requestId: call.idempotencyKey, onBusy: "queue" },
    }),
  };
  const input = isResume(resumed)
    ? { resume: resumed }
    : { message: { role: "user", content: [{ text: task }] } };
  return (await action.run(input, options)).result as AgentOutput;
}

function keepsState({ __action: { metadata } }: GenkitAction): boolean {
  const agent = metadata?.["agent"] as { readonly stateManagement?: unknown } | undefined;
  return agent?.stateManagement === "server";
}

// A person's answers to the asked agent's own requests come with the word to go on.
function isResume(resumed: unknown): resumed is { respond?: unknown; restart?: unknown } {
  return (
    typeof resumed === "object" &&
    resumed !== null &&
    ("respond" in resumed || "restart" in resumed)
  );
}

interface Answering {
  readonly name: string;
  readonly artifacts: "shared" | "separate";
  readonly call: ToolCall | undefined;
}

function answerOf(output: AgentOutput, { name, artifacts: where, call }: Answering): object {
  const { message, artifacts = [] } = output;
  if (output.finishReason === "interrupted") throw interruptOf(output, name);
  if (output.finishReason === "failed" || output.finishReason === "aborted") {
    throw failureOf(output, name);
  }
  if (where === "shared") call?.session.addArtifacts(...artifacts);
  const names = artifacts.flatMap((artifact) => artifact.name ?? []);
  return { answer: textOf(message?.content ?? []), ...(names.length > 0 && { artifacts: names }) };
}

// The one who asked waits as well. Restarted with the answers, it passes them on.
function interruptOf({ message, snapshotId }: AgentOutput, agent: string): ToolInterruptError {
  const requests = (message?.content ?? []).filter((part) => part.metadata?.["interrupt"]);
  return new ToolInterruptError({
    agent,
    ...(snapshotId !== undefined && { snapshotId }),
    requests,
  });
}

function failureOf({ error, finishReason }: AgentOutput, agent: string): TurnkeepError {
  return new TurnkeepError(
    error?.status ?? "ABORTED",
    `The agent '${agent}' did not answer: ${error?.message ?? finishReason}`,
  );
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? "").join("");
}
