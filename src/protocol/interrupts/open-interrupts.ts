import type { Json } from "../json.ts";
import type { Resume } from "../shapes/agent-input.ts";
import type { Message } from "../shapes/message.ts";
import type { Part, ToolRequest, ToolRequestPart } from "../shapes/part.ts";
import { openRequests } from "./match-resume.ts";

/** A tool request that waits for a person. Each method returns an answer to be sent as `resume`; join several by {@link mergeResumes}. */
export interface OpenInterrupt {
  readonly tool: string;
  readonly ref?: string;
  /** What the model wants to call the tool with. */
  readonly input?: Json;
  /** What the tool says it waits for, such as a question; `true` when it says nothing. */
  readonly interrupt: Json;
  /** Where the tool is an agent that waits itself: the requests that it waits for. `approve` takes the answers to them. */
  readonly inner: readonly OpenInterrupt[];
  /**
   * Lets the tool run. It runs again from its start, with `resumed` set to `data`, or to `true` without any; where the tool is an agent, `approve()`
   * approves all that it waits for.
   */
  readonly approve: (data?: Json) => Resume;
  /** Refuses the call. The tool does not run; the model is told that the call was denied, with the reason. */
  readonly deny: (reason?: string) => Resume;
  /** Answers in the tool's place. The tool does not run; the model gets `output` as the tool's result. */
  readonly answer: (output: Json) => Resume;
}

/** Where open interrupts are looked for: an output, a snapshot, a state, or the messages of a conversation. */
export type InterruptSource =
  | readonly Message[]
  | { readonly message?: Message }
  | { readonly state?: { readonly messages?: readonly Message[] } }
  | { readonly messages?: readonly Message[] };

/**
 * Finds the tool requests that wait for a person.
 *
 * @example
 * const asked = await support.runText("Refund order 7, please.", { sessionId });
 * for (const interrupt of openInterrupts(asked)) {
 *   await support.run({ resume: interrupt.approve() }, { sessionId });
 * }
 */
export function openInterrupts(source: InterruptSource): readonly OpenInterrupt[] {
  return openRequests(lastMessageOf(source)).map(openInterrupt);
}

/**
 * Joins the answers to several interrupts. All requests of a message are answered at once.
 *
 * @example
 * const [refund, email] = openInterrupts(asked);
 * await support.run({ resume: mergeResumes(refund.approve(), email.deny("Not now.")) }, { sessionId });
 */
export function mergeResumes(...resumes: readonly Resume[]): Resume {
  const respond = resumes.flatMap((resume) => resume.respond ?? []);
  const restart = resumes.flatMap((resume) => resume.restart ?? []);
  return { ...(respond.length > 0 && { respond }), ...(restart.length > 0 && { restart }) };
}

function openInterrupt(part: ToolRequestPart): OpenInterrupt {
  const { toolRequest, metadata } = part;
  const { name, ref, input } = toolRequest;
  const interrupt = metadata?.["interrupt"] ?? true;
  const inner = innerOf(interrupt);
  const answer = (output: Json): Resume => ({
    respond: [{ toolResponse: { name, ...(ref !== undefined && { ref }), output } }],
  });
  return {
    tool: name,
    ...(ref !== undefined && { ref }),
    ...(input !== undefined && { input }),
    interrupt,
    inner,
    approve: (data = approvalOf(inner)) => restartWith(toolRequest, data),
    deny: (reason) => answer({ denied: true, ...(reason !== undefined && { reason }) }),
    answer,
  };
}

function restartWith(toolRequest: ToolRequest, resumed: Json): Resume {
  return { restart: [{ toolRequest, metadata: { resumed } }] };
}

function approvalOf(inner: readonly OpenInterrupt[]): Json {
  if (inner.length === 0) return true;
  return mergeResumes(...inner.map(({ approve }) => approve()));
}

// A sub-agent that waits shows its own requests.
function innerOf(interrupt: Json): readonly OpenInterrupt[] {
  const { agent, requests } = interrupt as { readonly agent?: Json; readonly requests?: Json };
  if (typeof agent !== "string" || !Array.isArray(requests)) return [];
  return openRequests({ role: "model", content: requests as Part[] }).map(openInterrupt);
}

function lastMessageOf(source: InterruptSource): Message | undefined {
  if (isList(source)) return source.at(-1);
  const { message, messages, state } = source as {
    readonly message?: Message;
    readonly messages?: readonly Message[];
    readonly state?: { readonly messages?: readonly Message[] };
  };
  return message ?? (messages ?? state?.messages)?.at(-1);
}

function isList(source: InterruptSource): source is readonly Message[] {
  return Array.isArray(source);
}
