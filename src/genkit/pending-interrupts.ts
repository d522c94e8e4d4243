import {
  type JsonObject,
  matchResume,
  type Message,
  openRequests,
  type Part,
  type Resume,
  type ToolRequestPart,
  type ToolResponsePart,
} from "../protocol/index.ts";
import { withDistinctRefs } from "./distinct-refs.ts";
import { memoryIn, withMemory, withoutMemory } from "./sub-agent-memory.ts";

/** A model's message whose tool requests wait for a person, and the answers that settle them. */
export interface SettledInterrupts {
  /** The message as Genkit is to read it: without the outputs it holds back. */
  readonly message: Message;
  readonly respond: readonly ToolResponsePart[];
  readonly restart: readonly ToolRequestPart[];
}

/** Whether requests of the message wait for answers, if it is the last of its talk. */
export function isPending(message: Message | undefined): message is Message {
  return openRequests(message).length > 0;
}

/**
 * Holds the answers against the requests that wait: each answer must name one of them, each of them must be answered, and once.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for an answer that is forged, settled already, altered or missing.
 */
export function settleInterrupts(messages: readonly Message[], resume: Resume): SettledInterrupts {
  const matched = matchResume(messages, resume);
  const last = messages.at(-1) as Message;
  const pending = withDistinctRefs(last);
  const distinct = (request: ToolRequestPart): ToolRequestPart =>
    pending.content[last.content.indexOf(request)] as ToolRequestPart;
  const restart = matched.restart.map(({ request, answer }) =>
    restartOf(distinct(request), answer),
  );
  const respond = matched.respond.map(({ request, answer }) =>
    respondOf(distinct(request), answer),
  );
  return { ...withoutHeldBack(pending), respond: [...respond, ...heldBack(pending)], restart };
}

/** What came of one request: its answer, or that it waits again. */
export type RequestOutcome =
  | { readonly response: ToolResponsePart }
  | { readonly interrupt: JsonObject | true };

/** The waiting message after some of its requests got an answer: those are held back until all have one. */
export function holdBack(
  pending: Message,
  outcomeOf: (request: ToolRequestPart) => RequestOutcome | undefined,
): Message {
  const content = pending.content.map((part): Part => {
    if (!isRequest(part)) return part;
    const outcome = outcomeOf(part);
    if (outcome === undefined) return part;
    const { interrupt: _settled, ...metadata } = part.metadata ?? {};
    if ("interrupt" in outcome) return { ...part, metadata: { ...metadata, ...outcome } };
    const { output, content: parts } = outcome.response.toolResponse;
    const pendingOutput = output ?? null;
    return {
      ...part,
      metadata: {
        ...metadata,
        pendingOutput,
        ...(parts && { pendingContent: parts }),
      },
    };
  });
  return { ...pending, content };
}

function isRequest(part: Part): part is ToolRequestPart {
  return part.toolRequest !== undefined;
}

// What the tool is told of comes from here, but for the word that it may go on.
function restartOf(part: ToolRequestPart, { metadata }: ToolRequestPart): ToolRequestPart {
  return { toolRequest: part.toolRequest, metadata: { resumed: metadata?.["resumed"] ?? true } };
}

function respondOf(
  { toolRequest: { name, ref } }: ToolRequestPart,
  answer: ToolResponsePart,
): ToolResponsePart {
  const toolResponse = { ...answer.toolResponse, name, ...(ref !== undefined && { ref }) };
  return { ...answer, toolResponse };
}

// Genkit forgets an output that was held back when it is false, 0, "" or null; as an answer it counts.
function heldBack(pending: Message): readonly ToolResponsePart[] {
  return pending.content.filter(isHeldBack).map(({ toolRequest, metadata }) => {
    const { name, ref } = toolRequest;
    const content = metadata?.["pendingContent"] as ToolResponsePart["toolResponse"]["content"];
    return {
      toolResponse: {
        name,
        ...(ref !== undefined && { ref }),
        output: metadata?.["pendingOutput"] ?? null,
        ...(content && { content }),
      },
      metadata: withMemory({ source: "pending" }, memoryIn({ metadata })) ?? {},
    };
  });
}

function withoutHeldBack(pending: Message): { readonly message: Message } {
  const content = pending.content.map((part): Part => {
    if (!isHeldBack(part)) return part;
    const { pendingOutput: _output, pendingContent: _content, ...metadata } = part.metadata ?? {};
    return withoutMemory({ ...part, metadata });
  });
  return { message: { ...pending, content } };
}

function isHeldBack(part: Part): part is ToolRequestPart {
  return isRequest(part) && part.metadata !== undefined && "pendingOutput" in part.metadata;
}
