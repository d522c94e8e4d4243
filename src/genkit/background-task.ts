import { tool, type ToolAction, z } from "genkit";
import { hashText, type SessionSnapshot, systemPorts } from "../agent/index.ts";
import { type AgentOutputData, TurnkeepError } from "../protocol/index.ts";
import { isResume, keepsState, remembersRequests, runAction } from "./ask-agent.ts";
import { type AskedAgent, TASK_INPUT } from "./asked-agent.ts";
import { askedContext } from "./asked-context.ts";
import type { ActionOptions } from "./genkit-action.ts";
import { answerOf } from "./sub-agent-answer.ts";
import { requestIdOf, type ToolCall, toolCall } from "./tool-call.ts";

/** The tool that starts a task in the background and answers at once. */
export function startTaskTool(asked: AskedAgent): ToolAction {
  return tool(
    {
      name: asked.tool,
      description: `${asked.description} Works in the background and returns a task: look after it with checkTask and waitForTask.`,
      inputSchema: TASK_INPUT,
      metadata: { idempotent: async () => remembersRequests(await asked.find()) },
    },
    async ({ task }, options) => {
      const call = callOf(options);
      const action = await asked.find();
      if (!keepsState(action)) throw needsStore(asked.name);
      const sessionId = `${sessionPrefix(call, asked)}${hashText(requestIdOf(call)).slice(0, 12)}`;
      // Before it is used: the session is deleted along with the asker's.
      await call.turn.linkSession({ agent: asked.name, sessionId });
      const message = { role: "user" as const, content: [{ text: task }] };
      const { snapshotId = "" } = await runAction(
        action,
        { message, detach: true },
        { ...optionsFor(call, asked), init: { sessionId } },
      );
      return { task: `${asked.tool}/${snapshotId}`, status: "pending" };
    },
  );
}

/** The tools that look after the tasks of these agents; none without any. */
export function taskTools(agents: readonly AskedAgent[]): readonly ToolAction[] {
  return agents.length === 0 ? [] : [checkTaskTool(agents), waitForTaskTool(agents)];
}

const TASK_NAME = z.string().describe("The task, as it was returned when it was started.");
const DEFAULT_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 600;
// Agents of others can only be asked again and again.
const POLL_MS = 1000;

function checkTaskTool(agents: readonly AskedAgent[]): ToolAction {
  return tool(
    {
      name: "checkTask",
      description: "Shows how a task in the background stands, and its answer when it has ended.",
      inputSchema: z.object({ task: TASK_NAME }),
      metadata: { idempotent: true },
    },
    async ({ task }, options) => {
      const found = await findTask(agents, task, callOf(options));
      if (found === undefined) return UNKNOWN;
      return found.isPending ? PENDING : resultOf(found);
    },
  );
}

function waitForTaskTool(agents: readonly AskedAgent[]): ToolAction {
  return tool(
    {
      name: "waitForTask",
      description:
        "Waits until a task in the background has ended, and returns its answer. Returns the status pending when that takes longer.",
      inputSchema: z.object({
        task: TASK_NAME,
        seconds: z
          .number()
          .min(0)
          .max(MAX_WAIT_SECONDS)
          .optional()
          .describe(`How long to wait at most; ${DEFAULT_WAIT_SECONDS} seconds by default.`),
      }),
      metadata: { idempotent: true },
    },
    async ({ task, seconds = DEFAULT_WAIT_SECONDS }, options) => {
      const call = callOf(options);
      const { resumed } = options;
      const found = await findTask(agents, task, call);
      if (found === undefined) return UNKNOWN;
      // A person has answered what the task waits for: it goes on, and the asker waits for it.
      if (isResume(resumed)) return await resume(found, resumed);
      const ended = found.isPending ? await waitFor(found, seconds * 1000) : found;
      if (ended === undefined) return PENDING;
      return ended.output.finishReason === "interrupted"
        ? answerOf(ended.output, { ...ended.asked, call })
        : resultOf(ended);
    },
  );
}

const PENDING = { status: "pending" };
// Models make names up; that must not end the turn.
const UNKNOWN = { status: "unknown", hint: "There is no such task." };

/** A task as it stands. */
interface Task {
  readonly asked: AskedAgent;
  readonly call: ToolCall;
  readonly snapshotId: string;
  readonly sessionId: string;
  readonly isPending: boolean;
  /** How it came out so far. */
  readonly output: AgentOutputData;
}

// `undefined` for what is no task of this session's.
async function findTask(
  agents: readonly AskedAgent[],
  task: string,
  call: ToolCall,
): Promise<Task | undefined> {
  const [name, snapshotId = ""] = task.split(/\/(.*)/s, 2);
  const asked = snapshotId === "" ? undefined : agents.find((agent) => agent.tool === name);
  const snapshot = asked && (await readSnapshot(asked, call, { snapshotId }).catch(unlessMissing));
  const sessionId = snapshot?.sessionId ?? "";
  // A model may name any snapshot; it is shown those that its own session asked for.
  if (!asked || !snapshot || !sessionId.startsWith(sessionPrefix(call, asked))) return undefined;
  const isPending = snapshot.status === "pending";
  // A person may have answered since: the session's head knows.
  const isOpen = snapshot.finishReason === "interrupted";
  const latest = isOpen ? await readSnapshot(asked, call, { sessionId }) : snapshot;
  return { asked, call, snapshotId, sessionId, isPending, output: outputOf(latest) };
}

async function readSnapshot(
  asked: AskedAgent,
  call: ToolCall,
  lookup: { readonly snapshotId: string } | { readonly sessionId: string },
): Promise<SessionSnapshot> {
  const read = await asked.companion("getSnapshot");
  if (read === undefined) throw needsStore(asked.name);
  return (await read(lookup, optionsFor(call, asked))) as SessionSnapshot;
}

// `undefined` when it takes longer.
async function waitFor(task: Task, milliseconds: number): Promise<Task | undefined> {
  const { asked, call, snapshotId } = task;
  const wait = await asked.companion("waitForSnapshot");
  const late = new AbortController();
  const abortSignal = AbortSignal.any([call.signal, late.signal]);
  const timeout = systemPorts.timers.after(milliseconds, () => late.abort(LATE));
  try {
    const options = { ...optionsFor(call, asked), abortSignal };
    const snapshot = wait
      ? ((await wait({ snapshotId }, options)) as SessionSnapshot)
      : await poll(task, abortSignal);
    return { ...task, isPending: false, output: outputOf(snapshot) };
  } catch (error) {
    if (late.signal.aborted && !call.signal.aborted) return undefined;
    throw error;
  } finally {
    timeout();
  }
}

const LATE: unique symbol = Symbol("late");

async function poll(
  { asked, call, snapshotId }: Task,
  signal: AbortSignal,
): Promise<SessionSnapshot> {
  for (;;) {
    const snapshot = await readSnapshot(asked, call, { snapshotId });
    if (snapshot.status !== "pending") return snapshot;
    await systemPorts.timers.sleep(POLL_MS, { signal });
  }
}

async function resume({ asked, call, sessionId }: Task, resumed: object): Promise<object> {
  const output = await runAction(
    await asked.find(),
    { resume: resumed },
    { ...optionsFor(call, asked), init: { sessionId }, abortSignal: call.signal },
  );
  return answerOf(output, { ...asked, call });
}

// The model may make something of a task that failed, so it is told and not thrown.
function resultOf({ output, asked, call }: Task): object {
  const { finishReason, error } = output;
  if (finishReason === "interrupted")
    return { status: "interrupted", hint: "It waits for a person: use waitForTask." };
  if (finishReason === "failed" || finishReason === "aborted") {
    return { status: finishReason, ...(error && { error: error.message }) };
  }
  return { status: "completed", ...answerOf(output, { ...asked, call }) };
}

function outputOf({ status, finishReason, error, state }: SessionSnapshot): AgentOutputData {
  const message = state?.messages?.at(-1);
  const isLost = status === "aborted" || status === "expired";
  const reason = isLost
    ? "aborted"
    : (finishReason ?? (status === "failed" ? "failed" : undefined));
  return {
    ...(message && { message }),
    ...(state?.artifacts && { artifacts: state.artifacts }),
    ...(reason !== undefined && { finishReason: reason }),
    ...(error && { error }),
  };
}

function optionsFor(call: ToolCall, { name }: AskedAgent): ActionOptions {
  return {
    context: askedContext(call.context, name),
    call: { requestId: requestIdOf(call), tenant: call.tenant },
  };
}

// Each task has a session of its own, so that tasks do not wait for each other.
function sessionPrefix({ session }: ToolCall, { name }: AskedAgent): string {
  return `${session.sessionId}:${name}:`;
}

function callOf(options: object): ToolCall {
  const call = toolCall(options);
  if (call) return call;
  throw new TurnkeepError(
    "FAILED_PRECONDITION",
    "Tasks in the background belong to a session: only an agent can start and look after them.",
  );
}

function needsStore(name: string): TurnkeepError {
  return new TurnkeepError(
    "FAILED_PRECONDITION",
    `The agent '${name}' cannot work in the background without a store. Provide a 'store' when defining '${name}'.`,
  );
}

function unlessMissing(error: unknown): undefined {
  if ((error as { readonly status?: unknown }).status !== "NOT_FOUND") throw error;
}
