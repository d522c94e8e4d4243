import {
  jsonEqual,
  type JsonObject,
  type Message,
  type Part,
  type Resume,
  type ToolRequest,
  type ToolRequestPart,
  type ToolResponsePart,
  TurnkeepError,
} from "../protocol/index.ts";
import { ownRef, withDistinctRefs } from "./distinct-refs.ts";

/** A model's message whose tool requests wait for a person, and the answers that settle them. */
export interface SettledInterrupts {
  /** The message as Genkit is to read it: without the outputs it holds back. */
  readonly message: Message;
  readonly respond: readonly ToolResponsePart[];
  readonly restart: readonly ToolRequestPart[];
}

/** Whether requests of the message wait for answers, if it is the last of its talk. */
export function isPending(message: Message | undefined): message is Message {
  return message?.role === "model" && message.content.some(isInterrupted);
}

/**
 * Holds the answers against the requests that wait: each answer must name one of them, each of them must be answered, and once.
 *
 * @throws TurnkeepError INVALID_ARGUMENT for an answer that is forged, settled already, altered or missing.
 */
export function settleInterrupts(messages: readonly Message[], resume: Resume): SettledInterrupts {
  const last = messages.at(-1);
  const pending = isPending(last) ? withDistinctRefs(last) : undefined;
  const open = new Set(pending?.content.filter(isInterrupted));
  const alike = (request: Named): readonly ToolRequestPart[] =>
    [...open].filter((part) => isSame(part.toolRequest, request));
  const take = (kind: Kind, request: Named, found = alike(request)[0]): ToolRequestPart => {
    if (found === undefined) throw notPending(kind, request, messages);
    open.delete(found);
    return found;
  };
  // First those who say by its input which one they mean.
  const restart = (resume.restart ?? []).map((answer) => {
    const { toolRequest } = answer;
    const meant = alike(toolRequest).find((part) => isSameInput(part.toolRequest, toolRequest));
    return restartOf(take("restart", toolRequest, meant), answer);
  });
  const respond = (resume.respond ?? []).map((answer) =>
    respondOf(take("respond", answer.toolResponse), answer),
  );
  const [unanswered] = open;
  if (unanswered) throw unresolved(unanswered);
  if (pending === undefined) throw nothingPending();
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

type Kind = "respond" | "restart";

interface Named {
  readonly name: string;
  readonly ref?: string;
}

function isSame(left: Named, right: Named): boolean {
  return left.name === right.name && ownRef(left.ref) === right.ref;
}

function isSameInput(left: ToolRequest, right: ToolRequest): boolean {
  return jsonEqual(left.input ?? null, right.input ?? null);
}

function isRequest(part: Part): part is ToolRequestPart {
  return part.toolRequest !== undefined;
}

function isInterrupted(part: Part): part is ToolRequestPart {
  const interrupt = part.metadata?.["interrupt"];
  return isRequest(part) && interrupt !== undefined && interrupt !== false;
}

// What the tool is told of comes from here, but for the word that it may go on.
function restartOf(
  part: ToolRequestPart,
  { toolRequest, metadata }: ToolRequestPart,
): ToolRequestPart {
  if (!isSameInput(toolRequest, part.toolRequest)) {
    throw refused(
      `resume.restart for tool ${nameOf(toolRequest)} has modified inputs that do not match what the model asked for. Send the request back as it came.`,
    );
  }
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
      metadata: { source: "pending" },
    };
  });
}

function withoutHeldBack(pending: Message): { readonly message: Message } {
  const content = pending.content.map((part): Part => {
    if (!isHeldBack(part)) return part;
    const { pendingOutput: _output, pendingContent: _content, ...metadata } = part.metadata ?? {};
    return { ...part, metadata };
  });
  return { message: { ...pending, content } };
}

function isHeldBack(part: Part): part is ToolRequestPart {
  return isRequest(part) && part.metadata !== undefined && "pendingOutput" in part.metadata;
}

function notPending(kind: Kind, request: Named, messages: readonly Message[]): TurnkeepError {
  const isKnown = messages.some(
    ({ role, content }) =>
      role === "model" &&
      content.some((part) => isRequest(part) && isSame(part.toolRequest, request)),
  );
  const why = isKnown ? "is no longer pending" : "was not found in session history";
  return refused(`resume.${kind} references tool ${nameOf(request)}, which ${why}.`);
}

function unresolved({ toolRequest: { name, ref } }: ToolRequestPart): TurnkeepError {
  const own = ownRef(ref);
  const request = own === undefined ? name : `${name}#${own}`;
  return refused(
    `Unresolved tool request '${request}': answer every interrupted request of the message at once.`,
  );
}

function nothingPending(): TurnkeepError {
  return refused("There is nothing to resume: no tool request waits for an answer.");
}

function nameOf({ name, ref }: Named): string {
  return ref === undefined ? `'${name}'` : `'${name}' (ref: ${ref})`;
}

function refused(message: string): TurnkeepError {
  return new TurnkeepError("INVALID_ARGUMENT", message);
}
